/** The parts of an upstream's base URL. */
export interface UpstreamBase {
  origin: string
  /** The prefix of every path: empty, or with a leading slash and no trailing slash. */
  prefix: string
  /** The `Authorization` header for credentials given in the URL. */
  authorization: string | undefined
}

/**
 * Parses an operator's base URL, e.g. `https://user:secret@telecom.example/api`. Throws an Error that never quotes the URL, because
 * it may hold a secret.
 */
export function parseBaseUrl(upstream: string, baseUrl: string): UpstreamBase {
  const reject = (what: string) => new Error(`The base URL of ${upstream} ${what}.`)
  const url = URL.parse(baseUrl)
  if (url === null) throw reject('is not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw reject('must start with http:// or https://')
  if (url.search !== '' || url.hash !== '') throw reject('must have neither a query nor a fragment')
  const { username, password } = url
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, ''),
    authorization: username === '' ? undefined : `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`,
  }
}
