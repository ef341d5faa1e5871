// The command line's start from its sources. The bundle that set-up makes starts with start.ts itself.
import { enableCompileCache } from "node:module";
import path from "node:path";

// Node keeps compiled and type-stripped sources there; without it every start strips them again.
enableCompileCache(path.join(path.dirname(import.meta.dirname), "build/compile-cache"));
await import("./start.ts");
