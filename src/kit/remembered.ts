// What a pure function gave before, by a text that names its arguments. Bounded: who asks for ever new things makes it begin anew.

export class Remembered<Value extends string | boolean | number | object> {
  readonly #most: number;
  readonly #values = new Map<string, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  of(key: string, compute: () => Value): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const value = compute();
    if (this.#values.size >= this.#most) this.#values.clear();
    this.#values.set(key, value);
    return value;
  }
}
