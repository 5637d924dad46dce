/** Runs pieces of work one after the other, in the order they come; one that fails holds up nobody. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const own = this.#last.then(work)
    this.#last = own.catch(() => undefined)
    return own
  }
}
