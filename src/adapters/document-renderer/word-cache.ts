/** The maximum number of cached words: enough for the words of the fixed sentences and many names. */
const wordsKept = 5_000

/**
 * Caches a value for each word across documents, because most words occur in every document. The cache is cleared when it is full.
 * Words that identify a person must be dropped with their document.
 */
export class WordCache<Value> {
  readonly #kept = new Map<string, Value>()

  /** Returns the cached result for the word. If there is none, calls `compute`, which must always return the same result for a word. */
  recall(word: string, compute: (word: string) => Value): Value {
    const known = this.#kept.get(word)
    if (known !== undefined) return known
    const value = compute(word)
    if (this.#kept.size >= wordsKept) this.#kept.clear()
    this.#kept.set(word, value)
    return value
  }

  /** Drops every cached word that contains one of these words or is contained in one of them. */
  forget(words: readonly string[]): void {
    for (const known of this.#kept.keys()) {
      if (words.some((word) => known.includes(word) || word.includes(known))) this.#kept.delete(known)
    }
  }
}
