import autocannon from 'autocannon'

/**
 * Sends a number of requests (`amount`) over a number of connections. Returns, as soon as the last response has come,
 * how long each took in milliseconds. Throws if a response is not a success.
 */
export function sendRequests(options: autocannon.Options & { amount: number }): Promise<{ times: number[] }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ times: number[] }>()
  const times: number[] = []
  // Autocannon itself notices only some time later that all responses have come.
  const load = autocannon({ ...options, sampleInt: 100 }, (error, { errors, non2xx }) => {
    reject(
      error ?? new Error(`${times.length} of ${options.amount} responses, ${errors} errors, ${non2xx} not a success`),
    )
  })
  let failures = 0
  load.on('response', (_client, status, _bytes, tookMs) => {
    times.push(tookMs)
    if (status < 200 || status > 299) failures += 1
    if (times.length === options.amount && failures === 0) resolve({ times })
  })
  return promise
}
