// The clock that never goes back, in milliseconds from nowhere in particular. Node makes all of `performance` when somebody first asks for it, which takes
// two milliseconds of a run; this is there from the start.

export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
