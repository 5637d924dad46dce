/** After a commit, tells listeners in this process which kinds of background work the transaction created. */
export class CommitSignal {
  readonly #listeners = new Set<(work: ReadonlySet<string>) => void>()

  /** Returns a function that unsubscribes. */
  subscribe(listener: (work: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  emit(work: ReadonlySet<string>): void {
    for (const listener of this.#listeners) listener(work)
  }
}
