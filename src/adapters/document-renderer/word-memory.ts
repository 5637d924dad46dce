/** Enough for the words of the fixed sentences and plenty of names. */
const wordsKept = 5_000

/**
 * Remembers what was worked out for a word over documents, as most words are the same in every one. Full, it starts
 * afresh. Words that tell who somebody is are to be forgotten with the document they were in.
 */
export class WordMemory<Value> {
  readonly #kept = new Map<string, Value>()

  /** What `workOut` gives for the word, which must always be the same. */
  recall(word: string, workOut: (word: string) => Value): Value {
    const known = this.#kept.get(word)
    if (known !== undefined) return known
    const value = workOut(word)
    if (this.#kept.size >= wordsKept) this.#kept.clear()
    this.#kept.set(word, value)
    return value
  }

  /** Forgets these words: alone, in part, and with whatever stood beside them. */
  forget(words: readonly string[]): void {
    for (const known of this.#kept.keys()) {
      if (words.some((word) => known.includes(word) || word.includes(known))) this.#kept.delete(known)
    }
  }
}
