import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findExports, namedImports, wholeModuleImports } from './exports.ts'
import { typeScriptFiles } from './tree.ts'

const isTest = (path: string) => /^test\//.test(path) || /\.(test|fixture)\.ts$/.test(path)
const ours = typeScriptFiles.filter(
  ({ path }) => /^(src|simulators|private-postgres|journey|console)\//.test(path) && !isTest(path),
)

/** Tables that only tests import as a whole, because a test must check every entry. */
const walked = [
  'src/domain/contracts/contract.ts mayBecome',
  'src/domain/quotes/quote-operations.ts quoteOperations',
  'src/http/routes/table.ts TypedRoutes',
]

test('every export is imported by another file of the program and not only by tests', () => {
  const importing = typeScriptFiles.filter(({ path }) => !isTest(path))
  const used = new Set(importing.flatMap(namedImports))
  const usedWhole = new Set(importing.flatMap(wholeModuleImports))
  assert.ok(used.size > 1_000, 'the imports were found')
  const unused = ours
    .filter(({ path }) => !usedWhole.has(path))
    .flatMap(({ path, text }) =>
      findExports({ text })
        .filter(({ name, isType }) => !used.has(`${path} ${name}`) && !(isType && isMentionedAgain(text, name)))
        .map(({ name }) => `${path} ${name}`),
    )
  assert.deepEqual(unused.sort(), walked, 'Do not export it, delete it, or test it through what the program uses.')
})

test('the search for exports finds every form of export', () => {
  const text = `export const one = 1\nexport async function two() {}\nexport interface Three {}\nexport { four, five as six }\nexport type { Seven }`
  assert.deepEqual(
    findExports({ text }).map(({ name, isType }) => `${name}${isType ? ' (type)' : ''}`),
    ['one', 'two', 'Three (type)', 'four', 'six', 'Seven (type)'],
  )
})

/** A type that is used by another export of its file may be exported too, so that callers can name it. */
function isMentionedAgain(text: string, name: string): boolean {
  return (text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? []).length > 1
}
