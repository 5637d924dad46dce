import type { VariableReader } from './parse.ts'

/** The certificate (with its chain) and its key, both PEM files. */
export interface TlsFiles {
  certFile: string
  keyFile: string
}

/** Undefined for plain HTTP. `tlsProblems` rejects one file without the other. */
export function readTls(read: VariableReader): TlsFiles | undefined {
  const certFile = read.text('TLS_CERT_FILE')
  const keyFile = read.text('TLS_KEY_FILE')
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile }
}

/** Requires both files or neither and, with them, an https PUBLIC_URL. */
export function tlsProblems(publicUrl: string, read: VariableReader): string[] {
  const has = { certificate: read.has('TLS_CERT_FILE'), key: read.has('TLS_KEY_FILE') }
  if (!has.certificate && !has.key) return []
  if (!has.key) return ['TLS_CERT_FILE also needs TLS_KEY_FILE']
  if (!has.certificate) return ['TLS_KEY_FILE also needs TLS_CERT_FILE']
  return publicUrl.startsWith('https://') ? [] : ['TLS_CERT_FILE and TLS_KEY_FILE need an https PUBLIC_URL']
}
