import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlTemplates } from './sql-templates.ts'
import { readsUpward, tableOwners } from './table-owners.ts'
import { allPaths, programFiles, readSource } from './tree.ts'

const [, moduleList = ''] = /^const modules = \[([^\]]*)\]/m.exec(readSource('.dependency-cruiser.js').text) ?? []
const order = [...moduleList.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name)

const migrations = allPaths
  .filter((path) => path.startsWith('migrations/'))
  .map((path) => readSource(path).text.replaceAll(/--.*/g, ''))
  .join('\n')

/** New keys for encrypted values and hashes: the same statements go over the listed columns of every table. */
const replacesKeys = /^src\/privacy\/keys\/(encrypted-fields|hashes)\.store\.ts$/

/** That a statement of a function names a table, or that a migration lets a table refer to it. */
interface Use {
  path: string
  module: string
  /** The function, or the table that refers to it. */
  name: string
  table: string
  isWrite: boolean
}

const ownerOf = (table: string) => tableOwners[table]?.[0] ?? ''
const comesLater = (module: string, other: string) => order.indexOf(module) > order.indexOf(other)

/** The tables that a statement names. A fragment that is only a name stands for a table that is read. */
function namedTables(statement: string): Pick<Use, 'table' | 'isWrite'>[] {
  const named = /\b(into|(?<!\bfor (?:no key )?)update|delete\s+from|from|join|using|references)\s+(\w+)|^(\w+)$/g
  return [...statement.matchAll(named)]
    .map(([, verb = 'from', name, alone]) => ({ isWrite: /into|update|delete/.test(verb), table: name ?? alone ?? '' }))
    .filter(({ table }) => table in tableOwners)
}

/** Foreign keys are part of a table. A trigger's function belongs to whoever owns the trigger's table. */
function usesOfMigrations(): Use[] {
  const tables = [...migrations.matchAll(/^(?:create (?:unlogged )?|alter )table (\w+)([^;]*);/gm)]
  const triggers = [...migrations.matchAll(/^create trigger [^;]*? on (\w+)[^;]*execute function (\w+)/gm)].map(
    ([, table = '', name = '']) => {
      const [, body = ''] = new RegExp(`create function ${name}\\(.*?\\$\\$(.*?)\\$\\$`, 's').exec(migrations) ?? []
      return ['', table, body]
    },
  )
  assert.ok(tables.length > 50 && triggers.length > 10)
  return [...tables, ...triggers].flatMap(([, name = '', statement = '']) =>
    namedTables(statement).map((use) => ({ ...use, name, path: 'migrations', module: ownerOf(name) })),
  )
}

const uses: readonly Use[] = [
  ...programFiles.flatMap(({ path, text }) =>
    sqlTemplates(text).flatMap(({ functionName: name, text: statement }) =>
      namedTables(statement).map((use) => ({ ...use, name, path, module: path.split('/')[1] ?? '' })),
    ),
  ),
  ...usesOfMigrations(),
]

const describe = ({ path, name, table }: Use) => `${path} ${name}: ${table}`

test('every table of the migrations has an owner', () => {
  // The simulated processor's tables are one row: a schema of their own.
  const made = [...migrations.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(([, name = '']) => name)
  assert.deepEqual(new Set(Object.keys(tableOwners)), new Set(made))
  const modules = Object.values(tableOwners).flat()
  assert.deepEqual(
    modules.filter((module) => !order.includes(module)),
    [],
  )
})

test('a table is written by the stores of the module that owns it, and by the triggers of its tables', () => {
  assert.ok(uses.filter(({ isWrite }) => isWrite).length > 150, 'the statements must be found')
  const wrong = uses.filter(({ isWrite, module, table }) => isWrite && module !== ownerOf(table))
  assert.deepEqual(wrong.map(describe), [])
})

test('a statement that writes names its table', () => {
  const unnamed = programFiles.filter(
    ({ path, text }) =>
      !replacesKeys.test(path) &&
      sqlTemplates(text).some(({ text: statement }) => /\b(into|\bupdate|delete from)\s+\$\{/.test(statement)),
  )
  assert.deepEqual(
    unnamed.map(({ path }) => path),
    [],
  )
})

test('a table is read by the modules that the list names, and by none that comes before its owner', () => {
  const across = uses.filter(({ module, table, path }) => module !== ownerOf(table) && !replacesKeys.test(path))
  const unlisted = across.filter(({ module, table, name }) =>
    comesLater(module, ownerOf(table))
      ? tableOwners[table]?.includes(module) !== true
      : readsUpward[name]?.tables.includes(table) !== true,
  )
  assert.deepEqual(unlisted.map(describe), [])
  const superfluousReaders = Object.entries(tableOwners).flatMap(([table, [owner, ...readers]]) =>
    readers
      .filter(
        (reader) => !comesLater(reader, owner) || !across.some((use) => use.table === table && use.module === reader),
      )
      .map((reader) => `${table}: ${reader}`),
  )
  assert.deepEqual(superfluousReaders, [])
  const superfluousUpward = Object.entries(readsUpward).flatMap(([name, { tables }]) =>
    tables
      .filter((table) => !across.some((use) => use.name === name && use.table === table))
      .map((table) => `${name}: ${table}`),
  )
  assert.deepEqual(superfluousUpward, [])
})
