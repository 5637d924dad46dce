import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folders and files that are not part of the project. */
const passedOver = new Set([
  'node_modules',
  '.git',
  'data',
  'coverage',
  '.cache',
  'contracts-out',
  'build',
  'bench/peers/node_modules',
  'test/clients/node_modules',
  'test/clients/generated',
  'openapi/operator-api.json',
])

interface SourceFile {
  /** The path from the repository's root, with slashes. */
  path: string
  text: string
}

/** The paths of all files of the project, in order. */
export const allPaths: readonly string[] = walk('')

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !passedOver.has(join(folder, name)) && !name.endsWith('.log'))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? walk(path) : [path]
    })
}

export function readSource(path: string): SourceFile {
  return { path, text: readFileSync(join(root, path), 'utf8') }
}

/** Every TypeScript file of the project. */
export const typeScriptFiles: readonly SourceFile[] = allPaths.filter((path) => path.endsWith('.ts')).map(readSource)

/** The files that run in the service or its commands, without tests and without files that only tests use. */
export const programFiles: readonly SourceFile[] = typeScriptFiles.filter(
  ({ path }) => /^(src|simulators|private-postgres|journey)\//.test(path) && !/\.(test|fixture)\.ts$/.test(path),
)

/** The matching lines of these files, as `path:line`. */
export function matchingLines(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])),
  )
}
