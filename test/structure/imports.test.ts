import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findImportCycles } from './import-cycles.ts'
import { programFiles, type TypeScriptFile, typeScriptFiles } from './tree.ts'

/**
 * The parts of the program that each part may import: http → domain → db, in one direction, with the kernel below all of them. Events and
 * the worker announce changes. External systems are behind adapters, which only compose/ imports. Outside `src/` are the simulators, the
 * private PostgreSQL and the journey, which is a client of the API.
 */
const mayImport: Record<string, readonly string[]> = {
  'src/main.ts': ['src/cli'],
  'src/cli': [
    'src/cli',
    'journey',
    'clients',
    'private-postgres',
    'src/compose',
    'src/config',
    'src/domain',
    'src/kernel',
    'src/db',
  ],
  'src/compose': [
    'src/compose',
    'src/config',
    'src/http',
    'src/domain',
    'src/kernel',
    'src/worker',
    'src/adapters',
    'src/db',
    'simulators',
    'private-postgres',
  ],
  'src/config': ['src/config', 'src/kernel'],
  'src/http': ['src/http', 'src/domain', 'src/kernel', 'src/db'],
  'src/worker': ['src/worker', 'src/domain', 'src/kernel', 'src/db'],
  'src/adapters': ['src/adapters', 'src/domain', 'src/kernel', 'src/db'],
  'src/domain': ['src/domain', 'src/kernel', 'src/db'],
  'src/kernel': ['src/kernel'],
  'src/db': ['src/db', 'src/kernel'],
  simulators: ['simulators', 'src/domain', 'src/kernel', 'src/db'],
  'private-postgres': ['private-postgres', 'src/kernel'],
  journey: ['journey', 'src/kernel'],
}

/** Individual imports that break these rules but are allowed, each with its reason. */
const exceptions: Record<string, string> = {
  // A simulator uses the wire format that its adapter reads.
  'simulators/home-telecom/products.ts': 'src/adapters/home-telecom/wire.ts',
  // The table of services is the only place that says what is sold and what each service needs.
  'journey/price-household.ts': 'src/domain/packages/services.ts',
  // The names of the sandbox's test cards are defined in the simulator.
  'src/adapters/payment-processor/sandbox-processor.ts': 'simulators/payment-processor/test-cards.ts',
  'src/http/pages/card-setup/card-setup-page.ts': 'simulators/payment-processor/test-cards.ts',
}

function partOf(path: string): string {
  const [top = '', second = ''] = path.split('/')
  return top === 'src' ? `src/${second}` : top
}

/** `path → target` for every wrong import in these files. */
function wrongImports(
  files: readonly TypeScriptFile[],
  isWrong: (file: TypeScriptFile, target: string, isTypeOnly: boolean) => boolean,
): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter(({ target, isPackage, isTypeOnly }) => !isPackage && isWrong(file, target, isTypeOnly))
      .map(({ target }) => `${file.path} → ${target}`),
  )
}

const core = ['src/', 'simulators/', 'private-postgres/', 'journey/']
const inSource = typeScriptFiles.filter(({ path }) => core.some((folder) => path.startsWith(folder)))

test('every imported file exists and is in a part of the source that the importing file may use', () => {
  const paths = new Set(typeScriptFiles.map(({ path }) => path))
  const wrong = wrongImports(inSource, ({ path }, target) => {
    if (!paths.has(target)) return true
    if (exceptions[path] === target) return false
    const allowed = mayImport[partOf(path)] ?? []
    return !allowed.some((part) => target.startsWith(`${part}/`))
  })
  assert.deepEqual(wrong, [])
})

test('every exception to the import rules is in use', () => {
  const used = wrongImports(inSource, ({ path }, target) => exceptions[path] === target)
  assert.equal(used.length, Object.keys(exceptions).length)
})

test('files never import each other in a cycle', () => {
  assert.deepEqual(findImportCycles(typeScriptFiles), [])
})

test('the search for import cycles finds direct and indirect ones', () => {
  const file = (path: string, ...targets: string[]) => ({
    path,
    imports: targets.map((target) => ({ written: target, target, isPackage: false, isTypeOnly: false })),
  })
  const files = [file('a', 'b', 'd'), file('b', 'c'), file('c', 'b'), file('d', 'd'), file('e', 'a')]
  assert.deepEqual(findImportCycles(files), [['b', 'c'], ['d']])
})

test('adapters are imported by compose/, test/ and bench/ only', () => {
  const wrong = wrongImports(
    typeScriptFiles.filter(({ path }) => !/^(src\/compose|src\/adapters|test|bench)\//.test(path)),
    ({ path }, target) => target.startsWith('src/adapters/') && exceptions[path] !== target,
  )
  assert.deepEqual(wrong, [])
})

test('the console imports only itself, its library and the client’s types, and nothing imports it', () => {
  const ofConsole = typeScriptFiles.filter(({ path }) => path.startsWith('console/'))
  assert.ok(ofConsole.length > 10, 'the files of the console were found')
  const wrong = ofConsole.flatMap(({ path, imports }) =>
    imports
      .filter(({ target, isPackage }) =>
        isPackage ? target !== 'lit-html' : !/^console\/|^clients\/typescript\/src\/api-types\.ts$/.test(target),
      )
      .map(({ target }) => `${path} → ${target}`),
  )
  assert.deepEqual(wrong, [])
  const importing = wrongImports(
    typeScriptFiles.filter(({ path }) => !/^(console|test)\//.test(path)),
    (_file, target) => target.startsWith('console/'),
  )
  assert.deepEqual(importing, [])
})

test('the TypeScript client imports only its own files, and only tests, examples, the commands for developers and the console import it', () => {
  const home = 'clients/typescript/src/'
  const files = typeScriptFiles.filter(({ path }) => path.startsWith(home))
  assert.ok(files.length > 5, 'the files of the client were found')
  const wrong = files.flatMap(({ path, imports }) =>
    imports.filter(({ target }) => !target.startsWith(home)).map(({ target }) => `${path} → ${target}`),
  )
  assert.deepEqual(wrong, [])
  const others = typeScriptFiles.filter(
    ({ path }) =>
      ![home, 'test/', 'examples/', 'src/cli/developer/', 'console/'].some((folder) => path.startsWith(folder)),
  )
  assert.deepEqual(
    wrongImports(others, (_file, target) => target.startsWith('clients/')),
    [],
  )
})

/**
 * Files with a single operation ("operations" in ARCHITECTURE.md). They open a transaction or are called by a route, the worker or a command.
 */
const usesDatabase = new Set(
  programFiles
    .filter(
      ({ path, imports }) =>
        path.startsWith('src/domain/') &&
        !path.endsWith('.store.ts') &&
        imports.some(({ target }) => target.startsWith('src/db/')),
    )
    .map(({ path }) => path),
)
const operationFiles = new Set([
  ...programFiles
    .filter(({ path, text }) => path.startsWith('src/domain/') && text.includes('inTransaction('))
    .map(({ path }) => path),
  ...programFiles
    .filter(({ path }) => /^src\/(http\/(routes|pages)|worker|cli)\//.test(path))
    .flatMap(({ imports }) => imports)
    .filter(({ target, isTypeOnly }) => !isTypeOnly && usesDatabase.has(target))
    .map(({ target }) => target),
])

/** The code shared by two operations that differ only in their name. */
const sharedOperation = 'src/domain/quotes/undo/cancel-or-reopen-quote.ts'

/** Files are written from the pages that operations return. */
const filesOfPages = 'src/domain/export-files/export-file.ts'

test('domain files never import the file of an operation', () => {
  assert.ok(operationFiles.size > 25, 'the operation files must be found')
  const wrong = wrongImports(
    programFiles.filter(({ path }) => path.startsWith('src/domain/')),
    ({ path }, target, isTypeOnly) =>
      !isTypeOnly && operationFiles.has(target) && target !== sharedOperation && path !== filesOfPages,
  )
  assert.deepEqual(wrong, [])
})

test('simulators and adapters import no operation and no store of the domain', () => {
  const wrong = wrongImports(
    programFiles.filter(({ path }) => /^(simulators|src\/adapters)\//.test(path)),
    ({ path }, target, isTypeOnly) =>
      target.startsWith('src/domain/') &&
      !isTypeOnly &&
      (operationFiles.has(target) || target.endsWith('.store.ts')) &&
      // Imported properties and meter points come from our own tables, not from a provider.
      path !== 'src/adapters/address-source/database.ts' &&
      path !== 'src/adapters/meter-point-source/database.ts',
  )
  assert.deepEqual(wrong, [])
})

/** Files that may call stores directly: those for Idempotency-Key, the scheduler and the deletion of expired rows. */
const withoutVerb = [
  'src/http/idempotency.ts',
  'src/worker/jobs/scheduler.ts',
  'src/worker/jobs/expired-rows.ts',
  'src/worker/jobs/personal-data-retention.ts',
]

test('routes, commands and the worker call domain operations and never call stores directly', () => {
  const wrong = wrongImports(
    programFiles.filter(({ path }) => /^src\/(http|worker|cli)\//.test(path)),
    ({ path }, target, isTypeOnly) => !isTypeOnly && target.endsWith('.store.ts') && !withoutVerb.includes(path),
  )
  assert.deepEqual(wrong, [])
})

test('every domain file that does not use the database depends only on its arguments', () => {
  const nouns = programFiles.filter(
    ({ path }) => path.startsWith('src/domain/') && !path.endsWith('.store.ts') && !usesDatabase.has(path),
  )
  assert.ok(nouns.length > 80, 'finds the domain files that do not use the database')
  const impure = nouns.flatMap(({ path, text }) =>
    path === 'src/kernel/clock.ts' || path === 'src/domain/webhooks/delivery/deliver.ts'
      ? []
      : [
          /\bnew Date\(\)/,
          /\bDate\.now\(/,
          /\bMath\.random\(/,
          /\bperformance\.now\(/,
          /\bfetch\(/,
          /\bsetTimeout\(/,
          /\bconsole\./,
        ]
          .filter((pattern) => pattern.test(text))
          .map((pattern) => `${path} has ${pattern.source}`),
  )
  assert.deepEqual(impure, [])
})

/** Libraries that the domain may use: arithmetic, text, cryptography and CSV, but no server, no client and no other file format. */
const domainPackages = new Set([
  'node:crypto',
  'node:net',
  'node:fs',
  'node:stream',
  'node:stream/promises',
  'node:util',
  'csv-parse/sync',
  'fraction.js',
  'canonicalize',
  'ipaddr.js',
  'jose',
  'libphonenumber-js',
  'postcode',
  'standardwebhooks',
  'typebox',
])
/** The only domain files that may open files: the first opens the file that an operator imports, the others lists of postcodes. */
const fileReaders = [
  'src/domain/addresses/import/import-source.ts',
  'src/domain/addresses/samples/invented-districts.ts',
  'src/domain/addresses/samples/sample-postcodes.ts',
]

test('the domain uses no library that reaches outside the process', () => {
  const wrong = programFiles
    .filter(({ path }) => path.startsWith('src/domain/'))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ isPackage, target }) => isPackage && !domainPackages.has(target))
        .map(({ target }) => `${path} → ${target}`),
    )
  assert.deepEqual(wrong, [])
  const readers = programFiles.filter(
    ({ path, imports }) => path.startsWith('src/domain/') && imports.some(({ target }) => target === 'node:fs'),
  )
  assert.deepEqual(
    readers.map(({ path }) => path),
    fileReaders,
  )
})
