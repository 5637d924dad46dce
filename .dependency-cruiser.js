// Which files may import which: see ARCHITECTURE.md. `npm run check` enforces it.
import { globSync, readFileSync } from 'node:fs'

/**
 * The modules of src/, from the one that knows least to the one that knows most. A module imports values only from itself and from those before it; types are
 * free.
 */
const modules = [
  'platform',
  'pages',
  'partners',
  'people',
  'properties',
  'events',
  'quoting',
  'broadband',
  'payments',
  'contracts',
  'onboarding',
  'webhooks',
  'back-office',
  'privacy',
  'tenant-pages',
  'people-pages',
  'sandbox',
  'partner-pages',
  'web',
  'app',
  'cli',
]

const tests = '\\.(test|fixture)\\.ts$'
const packages = { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'type-import'] }
const atRuntime = { dependencyTypesNot: ['type-only'] }

/** Where a module meets HTTP: routes, schemas, pages. */
const overHttp =
  '\\.(route|schema|openapi)\\.ts$|^src/(pages|partners/(http|token-http)|payments/card-setup|contracts/links|tenant-pages|people-pages|partner-pages|back-office/(http|export-files)|sandbox/requests)/'
/** Where a module meets outside systems, files and threads. */
const adapters =
  '^src/((partners|people)/identity-provider|properties/address-suppliers/[^/]+|broadband/(broadband-database|home-telecom)|payments/processor|contracts/renderer|webhooks/sender|privacy/erasure-ledger|sandbox/(simulators|journey|processor))/'
/** The file that an operator imports, and lists of postcodes. */
const readsFiles = '^src/(properties/import/import-file|sandbox/samples/(invented-districts|sample-postcodes))\\.ts$'
/** What begins work: routes, jobs, commands, and what builds and starts them. */
const beginsWork = `${overHttp}|\\.job\\.ts$|^src/(app|cli|web)/`

/** Libraries for arithmetic, text, cryptography, compression and CSV. The rules of the business use no server, no client and no other file format. */
const pureLibraries = [
  '^(node:)?(crypto|net|stream|stream/promises|util|zlib)$',
  '^node_modules/(canonicalize|csv-parse|fraction\\.js|ipaddr\\.js|jose|leven|libphonenumber-js|postcode|standardwebhooks|typebox)/',
]

/** Operations: files that open a transaction. */
const operations = globSync('src/*/**/*.ts')
  .filter((path) => !/\.(test|fixture)\.ts$|^src\/(platform|app|cli|sandbox\/simulators)\//.test(path))
  .filter((path) => readFileSync(path, 'utf8').includes('inTransaction('))
  .map((path) => `^${path.replaceAll('.', '\\.')}$`)

/** Tests that start a service or send webhooks. */
const serving = [
  '^test/(webhooks/webhook-rebinding|cli/first-start\\.full|platform/config/live-service|platform/db/database)\\.test\\.ts$',
  '^test/privacy/erasure-replay\\.full\\.test\\.ts$',
  '^test/support/(second-)?service\\.ts$',
  '^test/webhooks/(webhook-fixture|webhook-sender-fixture)\\.ts$',
]

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const benchmarks = Object.values(scripts).flatMap(
  (command) => command.match(/\b(?:bench|drills)\/[\w/-]+\.ts\b/g) ?? [],
)

const allow = (from, to) => ({ from: { path: from }, to: { path: to } })

export default {
  // Every import has to match one of these rows.
  allowedSeverity: 'error',
  allowed: [
    ...modules.map((name, index) => allow(`^src/${name}/`, `^src/(${modules.slice(0, index + 1).join('|')})/`)),
    { from: { path: '^src/' }, to: { path: '^src/', dependencyTypes: ['type-only'] } },
    { from: { path: `^src/.*${tests}` }, to: { path: '^src/' } },
    allow('^bin/housebill\\.js$', '^src/main\\.ts$'),
    allow('^src/main\\.ts$', '^src/cli/'),
    // Around the service: clients of the API.
    allow('^src/(cli/developer|sandbox/journey)/', '^clients/typescript/src/'),
    allow('^clients/typescript/src/', '^clients/typescript/src/'),
    allow('^examples/', '^(examples|clients/typescript/src)/'),
    allow('^scripts/', '^(scripts|src|clients/typescript/src|test)/'),
    allow('^bench/', '^(bench|src|clients/typescript/src|test)/|^package\\.json$'),
    allow('^drills/', '^(drills|bench|src|clients/typescript/src|test)/'),
    { from: { path: '^test/' }, to: {} },
    // Packages.
    { from: { pathNot: '^(src|clients)/' }, to: packages },
    { from: { path: [tests, adapters, beginsWork, '^src/(main\\.ts$|platform/)'] }, to: packages },
    allow('^src/', pureLibraries),
    // The type of the logger, which is passed to what logs.
    { from: { path: '^src/' }, to: { path: '^node_modules/pino/', dependencyTypes: ['type-only'] } },
    allow(readsFiles, '^(node:)?fs$'),
  ],
  forbidden: [
    { name: 'cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'pricing-reads-nothing',
      comment: 'What calculates prices reads no database, file, clock or network.',
      severity: 'error',
      from: {
        path: '^src/quoting/pricing/',
        pathNot: [tests, overHttp, '/(estimate-quote|quote-total-cost)\\.ts$'],
      },
      to: { path: '^src/platform/(?!kernel/)|\\.store\\.ts$|^(node:)?fs', ...atRuntime },
    },
    {
      name: 'journey-alone',
      comment: "The journey uses a deployment as a partner's program would.",
      severity: 'error',
      from: { path: '^src/sandbox/journey/' },
      to: { path: '^src/(?!sandbox/journey/|platform/kernel/|quoting/packages/services\\.ts$)', ...atRuntime },
    },
    {
      name: 'operation-from-below',
      comment: 'Only routes, jobs and commands call operations, so a transaction is never opened inside another.',
      severity: 'error',
      // Two operations differ only in their name; files are written from the pages that operations return; three
      // operations store the card that the processor has, after their own transactions.
      from: { path: '^src/', pathNot: [tests, beginsWork] },
      to: { path: operations, pathNot: '/(cancel-or-reopen-quote|record-attached-card)\\.ts$', ...atRuntime },
    },
    {
      name: 'store-past-operation',
      comment: 'Routes, pages, jobs, commands, adapters and simulators call operations, never stores.',
      severity: 'error',
      from: {
        path: ['\\.(route|page|job)\\.ts$', '^src/(cli|web|pages)/', adapters],
        pathNot: [tests, '/(expired-rows|personal-data-retention)\\.job\\.ts$'],
      },
      // A simulator has tables of its own.
      to: { path: '\\.store\\.ts$', pathNot: '^src/sandbox/simulators/', ...atRuntime },
    },
    {
      name: 'sql-outside-store',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          tests,
          '\\.store\\.ts$',
          '^src/platform/db/',
          '^src/platform/http/routes/health\\.ts$',
          '^src/platform/private-postgres/hold\\.ts$',
        ],
      },
      to: { path: '^src/platform/db/sql\\.ts$', ...atRuntime },
    },
    {
      name: 'sql-without-parameters',
      comment: 'The package can also insert raw text. src/platform/db/sql.ts exports only what makes parameters.',
      severity: 'error',
      from: { pathNot: '^src/platform/db/sql\\.ts$' },
      to: { path: '^node_modules/sql-template-tag/' },
    },
    {
      name: 'unlisted-server',
      comment: 'A test that serves or sends is listed above, so that the next rule covers it.',
      severity: 'error',
      from: { path: '^test/', pathNot: serving },
      to: { path: '^src/(app/serve|webhooks/sender/(webhook-sender|pinned-connect))\\.ts$', ...atRuntime },
    },
    {
      name: 'name-servers',
      comment: "Tests, benchmarks and drills never query the machine's name servers. Two play the resolver.",
      severity: 'error',
      from: {
        path: '^(test|bench|drills)/',
        pathNot: '^test/(support/loopback-only|platform/outbound/(name-lookup\\.test|scripted-server))\\.ts$',
      },
      to: { path: '^(node:)?dns(/promises)?$', ...atRuntime },
    },
  ],
  required: [
    {
      name: 'loopback-only',
      comment: 'Tests that serve or send, benchmarks and drills stay on loopback when they are run alone too.',
      severity: 'error',
      module: { path: [...serving, `^(${benchmarks.join('|')})$`] },
      to: { path: '^test/support/loopback-only\\.ts$', reachable: true },
    },
  ],
  options: {
    parser: 'swc',
    moduleSystems: ['es6'],
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(test/clients/(generated|walks)|bench/peers)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
}
