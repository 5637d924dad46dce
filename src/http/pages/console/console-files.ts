import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Sources } from './strip-types.ts'

/** One file as a browser gets it. */
export interface ConsoleFile {
  type: string
  body: string
  /** Changes with the body. */
  etag: string
}

const folder = new URL('../../../../console/', import.meta.url)
const types: Record<string, string> = { css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }

/** Where the browser finds the templates' library; the package's entry for Node, from which it is resolved, is another file. */
export const libraryPath = 'lit-html/lit-html.js'
const library = new URL('../lit-html.js', import.meta.resolve('lit-html'))

let loaded: Promise<ReadonlyMap<string, ConsoleFile>> | undefined

/**
 * Everything the browser loads, by its path below `/console/assets/`: the modules of `console/` as JavaScript, the style, and
 * the library. Read and stripped of types once in a process. Throws where a module is no erasable TypeScript.
 */
export function loadConsoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  loaded ??= load()
  return loaded
}

async function load(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const paths = (await readdir(folder, { recursive: true })).sort()
  const modules = paths.filter((path) => path.endsWith('.ts'))
  const sources = await Promise.all(modules.map((path) => readFile(new URL(path, folder), 'utf8')))
  const stripped = await stripTypes(sources)
  const files = new Map<string, ConsoleFile>()
  for (const [index, path] of modules.entries()) {
    const body = (stripped[index] ?? '').replaceAll(/(from '\.[^']+)\.ts'/g, "$1.js'")
    // What held types alone is nothing now, and nothing imports it.
    if (/^(import|export)\b/m.test(body)) files.set(path.replace(/\.ts$/, '.js'), script(body))
  }
  for (const path of paths) {
    const type = types[path.slice(path.lastIndexOf('.') + 1)]
    if (type !== undefined) files.set(path, fileOf(type, await readFile(new URL(path, folder), 'utf8')))
  }
  files.set(libraryPath, script(await readFile(library, 'utf8')))
  return files
}

function script(body: string): ConsoleFile {
  return fileOf('text/javascript; charset=utf-8', body)
}

function fileOf(type: string, body: string): ConsoleFile {
  return { type, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** In a thread of its own, where Node's warning that this function of its is experimental can be turned off for it alone. */
function stripTypes(sources: Sources): Promise<Sources> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./strip-types.ts', import.meta.url), {
      workerData: sources,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}
