import assert from 'node:assert/strict'
import { dirname, join, matchesGlob } from 'node:path/posix'
import { test } from 'node:test'
import { createHeadingIdGenerator } from '../../src/web/docs/render-markdown.ts'
import { allPaths, readSource } from './tree.ts'

const documents = allPaths.filter((path) => path.endsWith('.md')).map(readSource)
const folders = new Set(
  allPaths.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
)
const roots = new Set(allPaths.filter((path) => path.includes('/')).map((path) => path.split('/', 1)[0]))
const headings = new Map(documents.map(({ path, text }) => [path, headingIds(text)]))

/** The anchors of a document, on GitHub and under /docs. */
function headingIds(text: string): string[] {
  const idOf = createHeadingIdGenerator()
  const prose = text.replace(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => idOf(heading))
}

/** Whether the file or folder exists or, for a pattern, whether any path matches it. */
function exists(path: string): boolean {
  const plain = path.replace(/\/$/, '')
  if (allPaths.includes(plain) || folders.has(plain)) return true
  return /[*{]/.test(plain) && allPaths.some((each) => matchesGlob(each, plain))
}

/** The links of a document that lead to no file, or to no heading of another document. */
function brokenLinks(path: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:|^\//.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#')
      const resolved = file === '' ? path : join(dirname(path), file)
      return !exists(resolved) || (anchor !== undefined && headings.get(resolved)?.includes(anchor) === false)
    })
}

/** Paths in code formatting that begin with a folder of the project and do not exist. */
function missingFiles(text: string): string[] {
  return [...text.matchAll(/`([\w.@-]+\/[\w./*{},@-]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => roots.has(path.split('/', 1)[0]) && !exists(path))
}

test('every file and every heading that a document links to or names exists', () => {
  assert.ok(documents.length > 0)
  const wrong = documents.flatMap(({ path, text }) =>
    [...brokenLinks(path, text), ...missingFiles(text)].map((target) => `${path}: ${target}`),
  )
  assert.deepEqual(wrong, [])
})

test('the search finds links and names that lead nowhere', () => {
  const links =
    '[x](../src/main.ts) [y](testing.md#gone) [z](https://example.com/a#b) [w](gone.md) [v](webhooks.md#order)'
  assert.deepEqual(brokenLinks('docs/webhooks.md', links), ['testing.md#gone', 'gone.md'])
  assert.deepEqual(missingFiles('`src/gone.ts`, `src/quoting/`, `src/*.ts`, `src/gone/*.ts` and `GET /Quotes/{id}`'), [
    'src/gone.ts',
    'src/gone/*.ts',
  ])
})

test('no command of a document has a secret as an argument, or needs a program that readers may not have', () => {
  const commands = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, code = '']) => `${path}: ${code}`),
  )
  const wrong = /--client-secret|-d '[^']*[sS]ecret"\s*:\s*"[^$]|\bjq\b|\buuidgen\b/
  assert.deepEqual(
    commands.filter((code) => wrong.test(code)),
    [],
  )
})
