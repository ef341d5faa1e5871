// Makes every schema of this process check by walking it. zod otherwise compiles a function per schema at its first use: a process that checks
// each thing once or twice spends more on that than on all its checks. Import it before any schema is made.
import { config } from "zod/v4/core";

config({ jitless: true });
