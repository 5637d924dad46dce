import { TargetRejected } from './pinned-connect.ts'

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused: nothing is listening at this address.',
  ECONNRESET: 'The receiver closed the connection before it responded.',
  EPIPE: 'The receiver closed the connection before it responded.',
  UND_ERR_SOCKET: 'The receiver closed the connection before it responded.',
  ENETUNREACH: 'The receiver cannot be reached: there is no route to its network.',
  EHOSTUNREACH: 'The receiver cannot be reached: there is no route to its host.',
  ETIMEDOUT: 'The connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too long.',
  EPROTO: 'The TLS handshake with the receiver failed.',
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's TLS certificate is for a different host name.",
  CERT_HAS_EXPIRED: "The receiver's TLS certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The receiver's TLS certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The receiver's TLS certificate comes from an authority that is not trusted.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The receiver's TLS certificate comes from an authority that is not trusted.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The receiver does not send the intermediate certificates of its TLS certificate.',
}

/** Describes a failure below HTTP for the partner's developer. Never includes addresses of the operator's network. */
export function describeSendFailure(error: unknown): string {
  if (error instanceof TargetRejected) return error.message
  const code = codeOf(error)
  if (code === undefined) return 'The request failed.'
  if (code.startsWith('HPE_')) return 'The response was not valid HTTP.'
  if (code.startsWith('ERR_SSL_')) return 'The TLS handshake with the receiver failed.'
  return words[code] ?? `The request failed (${code}).`
}

/** The system code, such as `ECONNREFUSED`. If several addresses were tried in turn, the code is in the errors of an AggregateError. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined) return code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}
