import assert from 'node:assert/strict'
import { dirname, join, matchesGlob, normalize } from 'node:path/posix'
import { test } from 'node:test'
import { allPaths, readSource } from './tree.ts'

const documents = allPaths.filter((path) => path.endsWith('.md')).map(readSource)
const folders = new Set(
  allPaths.flatMap((path) => path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'))),
)
const roots = [...new Set(allPaths.filter((path) => path.includes('/')).map((path) => path.split('/', 1)[0] ?? ''))]

/** Whether the file or folder exists or, for a pattern, whether any path matches it. */
function exists(path: string): boolean {
  const plain = path.replace(/\/$/, '')
  if (allPaths.includes(plain) || folders.has(plain)) return true
  return /[*{]/.test(plain) && allPaths.some((each) => matchesGlob(each, plain))
}

/** Link targets, relative to the document's folder. */
function linksOf(path: string, text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target) && !target.startsWith('/'))
    .map((target) => normalize(join(dirname(path), target)))
}

/** Paths in code formatting that begin with a folder of the project, relative to the root. */
function mentionsIn(text: string): string[] {
  return [...text.matchAll(/`([\w.@-]+\/[\w./*{},@-]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => roots.includes(path.split('/', 1)[0] ?? ''))
}

test('every file that a document links to or names exists', () => {
  assert.ok(documents.length > 0)
  const missing = documents.flatMap(({ path, text }) =>
    [...linksOf(path, text), ...mentionsIn(text)]
      .filter((target) => !exists(target))
      .map((target) => `${path}: ${target}`),
  )
  assert.deepEqual(missing, [])
})

test('the search for files that documents name detects those that do not exist', () => {
  assert.deepEqual(linksOf('docs/a.md', '[x](../src/main.ts) [y](b.md#part) [z](https://example.com/a) [w](#part)'), [
    'src/main.ts',
    'docs/b.md',
  ])
  assert.deepEqual(mentionsIn('`src/gone.ts`, `src/http/`, `src/*.ts` and `GET /Quotes/{id}`'), [
    'src/gone.ts',
    'src/http/',
    'src/*.ts',
  ])
  assert.deepEqual(['src/gone.ts', 'src/http/', 'src/*.ts', 'src/gone/*.ts'].map(exists), [false, true, true, false])
})

test("a TypeScript program that a guide runs is run with the packages' Node, because the machine's may be 20", () => {
  const guides = [...documents, ...allPaths.filter((path) => path.startsWith('examples/')).map(readSource)]
  // These pages first say to put the packages' programs on the PATH.
  const isForContributors = (path: string) => path === 'CONTRIBUTING.md' || path === 'docs/testing.md'
  const wrong = guides.flatMap(({ path, text }) =>
    isForContributors(path)
      ? []
      : [...text.matchAll(/(?<!npx )\bnode [\w./-]+\.ts\b/g)].map(([command]) => `${path}: ${command}`),
  )
  assert.deepEqual(wrong, [])
})

test("every link within a document names one of the document's headings", () => {
  const missing = documents.flatMap(({ path, text }) => {
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    )
    return [...text.matchAll(/\]\(#([^)]+)\)/g)]
      .map(([, anchor = '']) => anchor)
      .filter((anchor) => !headings.includes(anchor))
      .map((anchor) => `${path}: #${anchor}`)
  })
  assert.deepEqual(missing, [])
})
