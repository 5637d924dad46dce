import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { createSecureContext, Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { ConfigurationError } from '../platform/config/problems.ts'
import type { TlsFiles } from '../platform/config/tls.ts'
import { type Certificate, tlsOptions } from '../platform/http/listener.ts'

/** Reads TLS_CERT_FILE and TLS_KEY_FILE and checks that they match. Throws ConfigurationError. */
export async function readCertificate({ certFile, keyFile }: TlsFiles): Promise<Certificate> {
  const certificate = {
    cert: await read('TLS_CERT_FILE', certFile),
    key: await read('TLS_KEY_FILE', keyFile),
  }
  try {
    createSecureContext(certificate)
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new ConfigurationError([
      `the certificate in TLS_CERT_FILE and the key in TLS_KEY_FILE are not a usable pair (${code}): both must be PEM, and the key must be unencrypted and match the certificate`,
    ])
  }
  return certificate
}

async function read(name: string, file: string): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigurationError([`${name} cannot be read (${error.code ?? 'unknown'}): ${file}`])
  })
}

/**
 * On SIGHUP, reloads both files for new connections; if they are unusable, logs an error and keeps the old ones. Calls
 * `reloaded` with the new certificate. Returns a function that removes the signal handler.
 */
export function reloadOnSignal(
  server: Server,
  files: TlsFiles,
  log: Logger,
  reloaded: (certificate: Certificate) => void,
): () => Promise<void> {
  const reload = async () => {
    try {
      const certificate = await readCertificate(files)
      if (server instanceof TlsServer) server.setSecureContext(tlsOptions(certificate))
      reloaded(certificate)
      log.info('TLS certificate reloaded')
    } catch (error) {
      log.error({ err: error }, 'reloading the TLS certificate failed; the previous one stays in use')
    }
  }
  process.on('SIGHUP', reload)
  return async () => void process.off('SIGHUP', reload)
}

/** When a certificate ends. */
export function endOf({ cert }: Certificate): Date {
  return new X509Certificate(cert).validToDate
}
