import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The three logins. Only a sandbox may use the first alone. */
export const databaseUrls = ['DATABASE_URL', 'DATABASE_SYSTEM_URL', 'DATABASE_OWNER_URL'] as const

/** All URLs of the database: those of the logins, and the one that leads past a pooler. */
export const allDatabaseUrls = [...databaseUrls, 'DATABASE_DIRECT_URL'] as const

/**
 * What is wrong with a database's URL, including the files that it names. Never quotes the URL: it holds a password.
 */
export function databaseUrlProblems(name: string, text: string): string[] {
  if (!/^postgres(ql)?:\/\//.test(text)) return [`${name} must start with postgres:// or postgresql://`]
  const [, authority = ''] = /^\w+:\/\/([^/?#]*)/.exec(text) ?? []
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@host/')) ?? URL.parse(text.replace(':///', '://host/'))
  if (authority.replace(/^.*@/, '').includes(',') || url?.searchParams.get('host')?.includes(',') === true)
    return [
      `${name} names several hosts: name one, such as a name or an address that always leads to the primary server`,
    ]
  if (url === null)
    return [`${name} is not a URL: write special characters of the password in their encoded form, such as %40 for @`]
  return ['sslrootcert', 'sslcert', 'sslkey'].flatMap((parameter) => {
    const file = url.searchParams.getAll(parameter).at(-1)
    return file === undefined ? [] : fileProblems(`${name}: ${parameter}`, file, parameter !== 'sslkey')
  })
}

function fileProblems(what: string, file: string, isCertificate: boolean): string[] {
  try {
    const text = readFileSync(file)
    if (isCertificate) new X509Certificate(text)
    return []
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return /^E[A-Z]+$/.test(code)
      ? [`${what} names a file that cannot be read (${code}): ${file}`]
      : [`${what} names a file that is not a certificate in PEM format: ${file}`]
  }
}
