const bytesPerEntry = Float64Array.BYTES_PER_ELEMENT + Uint32Array.BYTES_PER_ELEMENT
const fullAt = 0.6

/**
 * Records the line on which each UPRN of a file first occurs. Uses open addressing in two typed arrays, 12 bytes per slot. A Map of
 * strings would take ten times as much memory and could not hold the 33 million properties of a national file.
 */
export class SeenUprns {
  #uprns = new Float64Array(1 << 12)
  #lines = new Uint32Array(1 << 12)
  #size = 0

  /**
   * Returns the line where the UPRN first occurred. If the UPRN is new, records `line` and returns null. `uprn` must consist of
   * digits that are not all zero.
   */
  firstLine(uprn: string, line: number): number | null {
    const number = Number(uprn)
    const slot = this.#slot(number)
    if (this.#uprns[slot] === number) return this.#lines[slot] ?? null
    this.#uprns[slot] = number
    this.#lines[slot] = line
    this.#size += 1
    if (this.#size > this.#uprns.length * fullAt) this.#grow()
    return null
  }

  /** Memory used, in bytes. */
  get bytes(): number {
    return this.#uprns.length * bytesPerEntry
  }

  /** The slot that holds the number, or the free slot where it belongs. A free slot holds 0, which is not a valid UPRN. */
  #slot(number: number): number {
    const mask = this.#uprns.length - 1
    // Mix both halves of the number, because real UPRNs come in long runs that differ only in the low digits.
    const low = Math.imul((number % 0x1_0000_0000) | 0, 0x9e3779b1)
    const high = Math.imul(Math.floor(number / 0x1_0000_0000), 0x85ebca6b)
    let hash = low ^ high
    hash ^= hash >>> 15
    let slot = hash & mask
    while (this.#uprns[slot] !== 0 && this.#uprns[slot] !== number) slot = (slot + 1) & mask
    return slot
  }

  #grow(): void {
    const uprns = this.#uprns
    const lines = this.#lines
    this.#uprns = new Float64Array(uprns.length * 2)
    this.#lines = new Uint32Array(uprns.length * 2)
    for (let index = 0; index < uprns.length; index += 1) {
      const number = uprns[index] ?? 0
      if (number === 0) continue
      const slot = this.#slot(number)
      this.#uprns[slot] = number
      this.#lines[slot] = lines[index] ?? 0
    }
  }
}
