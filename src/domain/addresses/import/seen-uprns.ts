const bytesPerEntry = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT
const fullAt = 0.6

/**
 * Remembers on which line each UPRN of a file stood. Open addressing in two typed arrays, 12 bytes a place: a Map of
 * strings would take ten times as much, and cannot hold the 33 million homes of a national file at all.
 */
export class SeenUprns {
  #uprns = new Float64Array(1 << 12)
  #lines = new Uint32Array(1 << 12)
  #size = 0

  /** The line the UPRN stood on before; when it is new, notes `line` and answers null. `uprn`: digits, not all zero. */
  firstLine(uprn: string, line: number): number | null {
    const number = Number(uprn)
    const place = this.#place(number)
    if (this.#uprns[place] === number) return this.#lines[place] ?? null
    this.#uprns[place] = number
    this.#lines[place] = line
    this.#size += 1
    if (this.#size > this.#uprns.length * fullAt) this.#grow()
    return null
  }

  /** Memory held, in bytes. */
  get bytes(): number {
    return this.#uprns.length * bytesPerEntry
  }

  /** Where the number stands, or the free place where it belongs. A free place holds 0, which is no UPRN. */
  #place(number: number): number {
    const mask = this.#uprns.length - 1
    // Both halves are mixed: real UPRNs come in long runs, and differ in the low digits only.
    const low = Math.imul((number % 0x1_0000_0000) | 0, 0x9e3779b1)
    const high = Math.imul(Math.floor(number / 0x1_0000_0000), 0x85ebca6b)
    let hash = low ^ high
    hash ^= hash >>> 15
    let place = hash & mask
    while (this.#uprns[place] !== 0 && this.#uprns[place] !== number) place = (place + 1) & mask
    return place
  }

  #grow(): void {
    const uprns = this.#uprns
    const lines = this.#lines
    this.#uprns = new Float64Array(uprns.length * 2)
    this.#lines = new Uint32Array(uprns.length * 2)
    for (const [index, number] of uprns.entries()) {
      if (number === 0) continue
      const place = this.#place(number)
      this.#uprns[place] = number
      this.#lines[place] = lines[index] ?? 0
    }
  }
}
