// Which files may import which: see "Kinds of file" in ARCHITECTURE.md. `npm run check` enforces it.
import { globSync, readFileSync } from 'node:fs'

const program = '^(src|simulators|private-postgres|journey)/'
const tests = '\\.(test|fixture)\\.ts$'
const packages = { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'type-import'] }
const atRuntime = { dependencyTypesNot: ['type-only'] }

/** Libraries for arithmetic, text, cryptography and CSV. The domain uses no server, no client and no other file format. */
const domainPackages = [
  '^(node:)?(crypto|net|stream|stream/promises|util)$',
  '^node_modules/(canonicalize|csv-parse|fraction\\.js|ipaddr\\.js|jose|libphonenumber-js|postcode|standardwebhooks|typebox)/',
]

/** The file that an operator imports, and lists of postcodes. */
const filesOfDomain = [
  '^src/domain/addresses/import/import-source\\.ts$',
  '^src/domain/addresses/samples/(invented-districts|sample-postcodes)\\.ts$',
]

/** Operations: domain files that open a transaction. */
const operations = globSync('src/domain/**/*.ts')
  .filter((path) => !/\.(test|fixture)\.ts$/.test(path) && readFileSync(path, 'utf8').includes('inTransaction('))
  .map((path) => `^${path.replaceAll('.', '\\.')}$`)

/** Tests that start a service or send webhooks. */
const serving = [
  '^test/(adapters/webhook-rebinding|cli/first-start|config/live-service|db/open-transaction)\\.test\\.ts$',
  '^test/(operations/sandbox/live|privacy/erasure-replay|simulators/never-in-live)\\.test\\.ts$',
  '^test/adapters/webhook-sender-fixture\\.ts$',
  '^test/support/(second-)?service\\.ts$',
  '^test/webhooks/(busy-process|sending-process|webhook-fixture)\\.ts$',
]

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
const benchmarks = Object.values(scripts).flatMap((command) => command.match(/\bbench\/[\w/-]+\.ts\b/g) ?? [])

const allow = (from, to) => ({ from: { path: from }, to: { path: to } })

export default {
  // Every import has to match one of these rows.
  allowedSeverity: 'error',
  allowed: [
    // http → domain → db, in one direction, with the kernel below all of them.
    allow('^bin/housebill\\.js$', '^src/main\\.ts$'),
    allow('^src/main\\.ts$', '^src/cli/'),
    allow('^src/cli/', '^(src/(cli|compose|config|domain|kernel|db)|journey|private-postgres)/'),
    allow('^src/cli/developer/', '^clients/typescript/src/'),
    allow(
      '^src/compose/',
      '^(src/(compose|config|http|domain|kernel|worker|adapters|db)|simulators|private-postgres)/',
    ),
    allow('^src/config/', '^src/(config|kernel)/'),
    allow('^src/http/', '^src/(http|domain|kernel|db)/'),
    allow('^src/worker/', '^src/(worker|domain|kernel|db)/'),
    allow('^src/adapters/', '^src/(adapters|domain|kernel|db)/'),
    allow('^src/domain/', '^src/(domain|kernel|db)/'),
    allow('^src/kernel/', '^src/kernel/'),
    allow('^src/db/', '^src/(db|kernel)/'),
    // Around the service: the simulators, the private PostgreSQL, and clients of the API.
    allow('^simulators/', '^(simulators|src/(domain|kernel|db))/'),
    allow('^private-postgres/', '^(private-postgres|src/kernel)/'),
    allow('^journey/', '^(journey|src/kernel|clients/typescript/src)/'),
    allow('^console/', '^(console/|clients/typescript/src/api-types\\.ts$|node_modules/lit-html/)'),
    allow('^clients/typescript/src/', '^clients/typescript/src/'),
    allow('^examples/', '^(examples|clients/typescript/src)/'),
    allow('^scripts/', '^(scripts|src/(http|domain|kernel|config)|private-postgres|test)/'),
    allow('^bench/', '^(bench|src|simulators|private-postgres|journey|test|clients/typescript/src)/|^package\\.json$'),
    { from: { path: '^test/' }, to: {} },
    // Packages.
    { from: { pathNot: '^(src/domain|console|clients)/' }, to: packages },
    allow('^src/domain/', domainPackages),
    allow(filesOfDomain, '^(node:)?fs$'),
    { from: { path: `^src/domain/.*${tests}` }, to: packages },
    // A simulator uses the wire format that its adapter reads, and defines the sandbox's test cards.
    allow('^simulators/home-telecom/products\\.ts$', '^src/adapters/home-telecom/wire\\.ts$'),
    allow(
      '^src/(adapters/payment-processor/sandbox-processor|http/pages/card-setup/card-setup-page)\\.ts$',
      '^simulators/payment-processor/test-cards\\.ts$',
    ),
    // The table of services is the only place that says what is sold and what each service needs.
    allow('^journey/price-household\\.ts$', '^src/domain/packages/services\\.ts$'),
  ],
  forbidden: [
    { name: 'cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'operation-from-below',
      comment: 'Only routes, jobs and commands call operations, so a transaction is never opened inside another.',
      severity: 'error',
      // Two operations differ only in their name; files are written from the pages that operations return.
      from: { path: '^(src/(domain|adapters)|simulators)/', pathNot: [tests, '/export-files/export-file\\.ts$'] },
      to: { path: operations, pathNot: '/undo/cancel-or-reopen-quote\\.ts$', ...atRuntime },
    },
    {
      name: 'store-past-operation',
      comment: 'Routes, jobs, commands, adapters and simulators call operations, never stores.',
      severity: 'error',
      from: {
        path: '^(src/(http|worker|cli|adapters)|simulators)/',
        pathNot: [
          tests,
          '^src/http/idempotency\\.ts$',
          '^src/worker/jobs/(scheduler|expired-rows|personal-data-retention)\\.ts$',
          // Imported properties and meter points come from our own tables, not from a provider.
          '^src/adapters/address-source/database\\.ts$',
        ],
      },
      to: { path: '^src/domain/.*\\.store\\.ts$', ...atRuntime },
    },
    {
      name: 'sql-outside-store',
      severity: 'error',
      from: {
        path: program,
        pathNot: [
          tests,
          '\\.store\\.ts$',
          '^src/(db|domain/events)/',
          '^src/http/routes/health\\.ts$',
          '^private-postgres/hold\\.ts$',
        ],
      },
      to: { path: '^src/db/sql\\.ts$', ...atRuntime },
    },
    {
      name: 'sql-without-parameters',
      comment: 'The package can also insert raw text. src/db/sql.ts exports only what makes parameters.',
      severity: 'error',
      from: { pathNot: '^src/db/sql\\.ts$' },
      to: { path: '^node_modules/sql-template-tag/' },
    },
    {
      name: 'unlisted-server',
      comment: 'A test that serves or sends is listed above, so that the next rule covers it.',
      severity: 'error',
      from: { path: '^test/', pathNot: serving },
      to: { path: '^src/(compose/serve|adapters/webhook-sender/[^/]+)\\.ts$' },
    },
    {
      name: 'name-servers',
      comment: "Tests and benchmarks never query the machine's name servers. Two play the resolver.",
      severity: 'error',
      from: {
        path: '^(test|bench)/',
        pathNot: '^test/(support/loopback-only|adapters/name-lookup\\.test|adapters/scripted-server)\\.ts$',
      },
      to: { path: '^(node:)?dns(/promises)?$', ...atRuntime },
    },
  ],
  required: [
    {
      name: 'loopback-only',
      comment: 'Tests that serve or send, and benchmarks, stay on loopback when they are run alone too.',
      severity: 'error',
      module: { path: [...serving, `^(${benchmarks.join('|')})$`] },
      to: { path: '^test/support/loopback-only\\.ts$', reachable: true },
    },
  ],
  options: {
    parser: 'swc',
    moduleSystems: ['es6'],
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/clients/(generated|walks)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
}
