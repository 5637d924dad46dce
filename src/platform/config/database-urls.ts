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
  const urls = urlPerHost(text).map(parse)
  const [first] = urls
  // Another special character of the password may have ended the host before the @.
  const endsEarly = /^\w+:\/\/[^@/?#]+:[^@/?#]*[/?#][^=]*@/.test(text)
  if (first === undefined || first === null || urls.includes(null) || endsEarly || !isDecodable(first))
    return [
      `${name} is not a URL: write special characters of the password in their encoded form, such as %40 for @ and %25 for %`,
    ]
  const last = (parameter: string) => first.searchParams.getAll(parameter).at(-1)
  const files = ['sslrootcert', 'sslcert', 'sslkey'].flatMap((parameter) => {
    const file = last(parameter)
    return file === undefined ? [] : fileProblems(`${name}: ${parameter}`, file, parameter !== 'sslkey')
  })
  return [...hostProblems(name, urls.length, last), ...files]
}

function hostProblems(name: string, hosts: number, last: (parameter: string) => string | undefined): string[] {
  const wanted = last('target_session_attrs')
  if (wanted !== undefined && wanted !== 'read-write')
    return [`${name}: target_session_attrs must be read-write, because Housebill writes`]
  if (hosts > 1 && wanted === undefined)
    return [`${name} names several hosts: add target_session_attrs=read-write, so that the primary among them is used`]
  if (last('port')?.includes(',') === true)
    return [`${name} has several ports in ?port=: write each after its host instead, as in one:5432,two:5433`]
  return []
}

/**
 * A URL for each host, in their order, of one that may name several as libpq allows it:
 * `postgresql://user@one:5432,two:5432/bills`, or `?host=` with the folders of several sockets. The driver reads only
 * URLs of one host.
 */
export function urlPerHost(text: string): string[] {
  // As in the driver, ?host= wins, and the last of several.
  const [, before = '', hosts = text, after = ''] =
    /^(.*[?&]host=)([^&#]+)(.*)$/s.exec(text) ?? /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? []
  return hosts.split(',').map((host) => before + host + after)
}

function parse(text: string): URL | null {
  return URL.parse(text) ?? URL.parse(text.replace('@/', '@host/')) ?? URL.parse(text.replace(':///', '://host/'))
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
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
