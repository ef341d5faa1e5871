// A process of its own for one run inside, started with a descriptor too many: what a careless caller of Glovebox looks like.
// Reads one InsideRequest as JSON from the first argument and prints the run as JSON.
import { type InsideRequest, runInside } from "./inside.ts";

const request = JSON.parse(process.argv[2] ?? "") as InsideRequest;
process.stdout.write(JSON.stringify(await runInside(request)));
