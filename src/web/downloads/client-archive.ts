import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = 'clients/typescript'
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** What programs import from the package, and its commands. Everything that they import comes along. */
const entries = [`${folder}/src/entry.ts`, 'src/cli/developer/client-main.ts']

/**
 * Makes the npm package housebill-client of a clone: JavaScript by Node's own type stripping, types that
 * `npm run generate` wrote. Its bytes depend on the sources only.
 */
export function packClient(): Buffer {
  const files = new Map<string, string>()
  const { optionalDependencies, ...manifest } = JSON.parse(read(`${folder}/package.json`))
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const needed = Object.keys(optionalDependencies).map((name) => [name, dependencies[name]])
  const complete = { ...manifest, optionalDependencies: Object.fromEntries(needed) }
  files.set('package.json', `${JSON.stringify(complete, undefined, 2)}\n`)
  files.set('README.md', read(`${folder}/README.md`))
  files.set('LICENSE', read('LICENSE'))
  files.set('generated/entry.d.ts', read(`${folder}/generated/entry.d.ts`))
  // It has types only, so it is its own declaration.
  files.set('types/api-types.d.ts', read(`${folder}/src/api-types.ts`))
  for (const entry of entries) addModule(files, entry)
  return gzipSync(tarOf(files), { level: 9 })
}

/** Adds a module, and those that it imports, where they are in the clone. */
function addModule(files: Map<string, string>, path: string): void {
  const compiled = `dist/${path.replace(/\.ts$/, '.js')}`
  if (files.has(compiled)) return
  const code = stripTypeScriptTypes(read(path))
  const shebang = path.endsWith('-main.ts') ? '#!/usr/bin/env node\n' : ''
  files.set(compiled, shebang + code.replaceAll(/'(\.\.?\/[\w./-]+)\.ts'/g, "'$1.js'"))
  for (const [, imported = ''] of code.matchAll(/(?:\bfrom |\bimport\()'(\.\.?\/[\w./-]+\.ts)'/g))
    addModule(files, join(dirname(path), imported))
}

const blockBytes = 512

/** An archive in the format ustar (POSIX.1-1988), below the folder that npm expects. */
function tarOf(files: ReadonlyMap<string, string>): Buffer {
  const blocks = [...files].flatMap(([path, text]) => {
    const body = Buffer.from(text)
    return [headerOf(`package/${path}`, body.length), body, Buffer.alloc(-body.length & (blockBytes - 1))]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)])
}

function headerOf(path: string, size: number): Buffer {
  if (path.length > 99) throw new Error(`the path is too long for the archive: ${path}`)
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  const write = (at: number, text: string) => header.write(text, at, 'latin1')
  write(0, path)
  write(100, octal(0o644, 7) + octal(0, 7) + octal(0, 7) + octal(size, 11) + octal(0, 11))
  // The checksum is that of the header with spaces in its place.
  write(148, '        0')
  write(257, 'ustar\x0000')
  write(
    148,
    `${octal(
      header.reduce((sum, byte) => sum + byte),
      6,
    )} `,
  )
  return header
}
