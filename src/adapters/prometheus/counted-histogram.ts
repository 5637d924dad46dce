import { Histogram } from 'prom-client'

/** A distribution that is counted elsewhere. The `count` of each bucket is cumulative. */
interface CountedDistribution {
  labels: { upstream: string }
  buckets: readonly { upTo: number; count: number }[]
  sum: number
  count: number
}

type Values = Awaited<ReturnType<Histogram<'upstream'>['get']>>

/**
 * A histogram of values that are counted elsewhere. (The library's own histogram only takes one observation at a time.) It must be
 * registered explicitly.
 */
export class CountedHistogram extends Histogram<'upstream'> {
  readonly #name: string
  readonly #help: string
  readonly #read: () => readonly CountedDistribution[]

  constructor(name: string, help: string, read: () => readonly CountedDistribution[]) {
    super({ name, help, labelNames: ['upstream'], registers: [] })
    this.#name = name
    this.#help = help
    this.#read = read
  }

  override async get(): Promise<Values> {
    const name = this.#name
    const values = this.#read().flatMap(({ labels, buckets, sum, count }) => [
      ...buckets.map((bucket) => ({
        metricName: `${name}_bucket`,
        labels: { ...labels, le: bucket.upTo },
        value: bucket.count,
      })),
      { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ])
    // The library's types require a number for `type`, but its registry writes the value as it is.
    return { name, help: this.#help, type: 'histogram', aggregator: 'sum', values } as unknown as Values
  }

  /** The registry prefers this method for text output if a metric has it. */
  getForPromString(): Promise<Values> {
    return this.get()
  }
}
