/** Tells listeners in this process what kinds of background work a transaction left to do, once it has committed. */
export class CommitSignal {
  readonly #listeners = new Set<(work: ReadonlySet<string>) => void>()

  /** Returns the function that ends the subscription. */
  subscribe(listener: (work: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(work: ReadonlySet<string>): void {
    for (const listener of this.#listeners) listener(work)
  }
}
