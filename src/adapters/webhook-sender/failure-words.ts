import { TargetRefused } from './pinned-connect.ts'

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused: nothing listens there.',
  ECONNRESET: 'The receiver closed the connection before it had answered.',
  EPIPE: 'The receiver closed the connection before it had answered.',
  UND_ERR_SOCKET: 'The receiver closed the connection before it had answered.',
  ENETUNREACH: 'The receiver cannot be reached: no route leads to its network.',
  EHOSTUNREACH: 'The receiver cannot be reached: no route leads to its host.',
  ETIMEDOUT: 'No connection could be made in time.',
  UND_ERR_CONNECT_TIMEOUT: 'No connection could be made in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  EPROTO: 'The receiver does not speak TLS properly.',
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's TLS certificate is for another name.",
  CERT_HAS_EXPIRED: "The receiver's TLS certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The receiver's TLS certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The receiver's TLS certificate comes from an authority that is not trusted.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The receiver's TLS certificate comes from an authority that is not trusted.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The receiver does not send the intermediate certificates of its TLS certificate.',
}

/** What went wrong below HTTP, in words for the partner's developer. Never holds an address of the operator's network. */
export function failureWords(error: unknown): string {
  if (error instanceof TargetRefused) return error.message
  const code = codeOf(error)
  if (code === undefined) return 'The request failed.'
  if (code.startsWith('HPE_')) return 'The answer was not valid HTTP.'
  if (code.startsWith('ERR_SSL_')) return 'The receiver does not speak TLS properly.'
  return words[code] ?? `The request failed (${code}).`
}

/** `ECONNREFUSED` and its like; several addresses tried in turn arrive as an AggregateError that holds it in its parts. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined) return code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
