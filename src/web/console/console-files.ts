import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { ModuleSources } from './strip-types.ts'

/** One file as sent to the browser. */
export interface ConsoleFile {
  type: string
  body: string
  /** Changes whenever the body changes. */
  etag: string
}

const folder = new URL('../../../console/', import.meta.url)
const types: Record<string, string> = { css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }

/**
 * Where the browser loads the template library from. The package's entry point for Node, used to locate the package, is
 * a different file.
 */
export const libraryPath = 'lit-html/lit-html.js'
const library = new URL('../lit-html.js', import.meta.resolve('lit-html'))

let loaded: Promise<ReadonlyMap<string, ConsoleFile>> | undefined

/**
 * Every file the browser loads, by its path below `/console/assets/`: the modules of `console/` as JavaScript, the
 * styles and the template library. Loaded and stripped of types once per process; a call after a failed one tries
 * again. Throws if a module is not erasable TypeScript.
 */
export function loadConsoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  loaded ??= load().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
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
    // Leave out modules that contained only types: they are empty now, and nothing imports them.
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

/** Runs in a separate thread, where Node's warning that type stripping is experimental can be turned off. */
function stripTypes(sources: ModuleSources): Promise<ModuleSources> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./strip-types.ts', import.meta.url), {
      workerData: sources,
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}
