import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import Type from 'typebox'
import { createOperator } from '../support/operator.ts'
import { shareTestService } from '../support/shared-service.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'
import { CommandError } from './command-output.ts'

const service = await shareTestService()
const { clientId, clientSecret } = await createOperator(service)
const environment = {
  PUBLIC_URL: service.baseUrl,
  OPERATOR_CLIENT_ID: clientId,
  OPERATOR_CLIENT_SECRET: clientSecret,
  SANDBOX_CLIENT_ID: service.credentials.clientId,
  SANDBOX_CLIENT_SECRET: service.credentials.clientSecret,
}
const call = (...args: string[]) => housebill(['call', ...args], environment)
const folder = await mkdtemp(join(tmpdir(), 'housebill-cli-'))
after(() => rm(folder, { recursive: true, force: true }))

const Partner = Type.Object({ partnerId: Type.String(), name: Type.String() })

/** Creates a partner with `call`, and returns its id. */
async function createPartner(...fields: string[]): Promise<string> {
  const created = await call('createPartner', '--name', 'Acme, "Lettings"', ...fields, '--json')
  assertSucceeded(created)
  return created.json(Partner).partnerId
}

test('without an operation, call lists those of each API by subject, and with --help it shows the fields of one', async () => {
  const listed = await call()
  assertSucceeded(listed)
  assert.match(listed.stdout, /^Partners\n(?: {2}.*\n)* {2}createPartner +Create a partner$/m)
  const partners = await call('--partner')
  assert.match(partners.stdout, /createQuote +Create a quote for an address$/m)
  assert.doesNotMatch(partners.stdout, /issueToken/)
  const help = await call('cancelContract', '--help')
  assertSucceeded(help)
  assert.match(help.stdout, /POST \/operator-api\/Customers\/\{customerId\}\/cancel-contract/)
  assert.match(help.stdout, /--customerId <string> +Required\./)
  assert.match(help.stdout, /--dryRun \[true\|false\] /)
  assert.match(help.stdout, /--sentOn <string> +The day on which the tenant sent/)
  assert.match((await call('--help')).stdout, /^Usage: housebill call /)
})

test('fields go to the path, the query, the headers and the body, as text, numbers, flags, lists, null and JSON', async () => {
  const urls = ['https://acme.example/a', 'https://acme.example/b']
  const once = ['--requestsPerSecond', '7', '--returnUrls', ...urls, '--Idempotency-Key', `call-${process.pid}`]
  const partnerId = await createPartner(...once)
  assert.equal(await createPartner(...once), partnerId, 'the same key makes no second partner')
  const cleared = await call('changePartner', '--partnerId', partnerId, '--requestsPerSecond', 'null')
  assertSucceeded(cleared)
  assert.match(cleared.stdout, /^\{\n {2}"partnerId": /)
  assert.match(cleared.stdout, /"requestsPerSecond": null,.*\n.*"returnUrls": \[\n.*\/a",\n.*\/b"/s)
  const added = await call('addPartnerCredential', '--partnerId', partnerId, '--scopes', 'quotes:read', '--json')
  const Added = Type.Object({ clientId: Type.String(), clientSecret: Type.String() })
  const program = added.json(Added)
  const rotate = ['rotatePartnerCredential', '--partnerId', partnerId, '--clientId', program.clientId]
  const rotated = await call(...rotate, '--endTokens', '--json')
  assert.notEqual(rotated.json(Added).clientSecret, program.clientSecret)
  const tiers = ['--firstDay', '2027-01-01', '--tiers', '[{"upTo":20,"basisPoints":250},{"amount":300}]']
  assertSucceeded(await call('addCommissionTerms', '--partnerId', partnerId, ...tiers))
  const file = join(folder, 'terms.json')
  await writeFile(file, JSON.stringify({ firstDay: '2027-02-01', tiers: [{ amount: 5 }] }))
  const fromFile = ['addCommissionTerms', '--partnerId', partnerId, '--body', `@${file}`, '--firstDay', '2027-03-01']
  const Terms = Type.Object({ firstDay: Type.String(), kind: Type.String() })
  const { firstDay, kind } = (await call(...fromFile, '--json')).json(Terms)
  assert.deepEqual([firstDay, kind], ['2027-03-01', 'fixed'])
})

test('a file goes to standard output as it is, and a list page by page or whole', async () => {
  const csv = await call('exportFunnel', '--format', 'csv')
  assert.equal(csv.code, 0)
  assert.match(csv.stdout, /^date,partnerId,/)
  const partner = (...args: string[]) => call('--partner', ...args)
  const { stdout } = await partner('lookupAddresses', '--postcode', 'NG7 2RD')
  const [{ addressUid } = assert.fail('no property')] = JSON.parse(stdout) as { addressUid: string }[]
  for (let count = 1; count <= 3; count += 1) assertSucceeded(await partner('createQuote', '--addressUid', addressUid))
  const page = await partner('listQuotes', '--limit', '2')
  assert.match(page.stderr, /^There is more: add --cursor \S+, or --all\.$/m)
  const all = await partner('listQuotes', '--limit', '2', '--all', '--json')
  const List = Type.Object({ data: Type.Array(Type.Unknown()), nextCursor: Type.Null() })
  assert.equal(all.json(List).data.length, 3)
})

test('an error says what the API says with its pointers, and wrong usage which operation or field is meant', async () => {
  const invalid = await call('createPartner', '--name', 'A', '--contactEmail', 'nobody')
  assertFailed(invalid, /^A value is invalid:\n {2}- \/contactEmail: Must be a valid email/)
  const asJson = await call('suspendPartner', '--partnerId', 'nobody', '--json')
  assertFailedAsJson(asJson, 'not_found')
  assert.match(asJson.json(CommandError).error.message, /GET \/operator-api\/Partners lists them all/)
  for (const [args, words] of [
    [['listPartner'], /unknown command 'listPartner'\n\(Did you mean listPartners\?\)/],
    [['suspendPartner'], /'--partnerId <string>' not specified/],
    [['listPartners', '--name', 'x'], /unknown option '--name'/],
    [['createPartner', '--requestsPerSecond', 'many'], /Must be a number/],
    [['addCommissionTerms', '--partnerId', 'x', '--tiers', '2%'], /Must be JSON, or @ and a file/],
    [['createPartner', '--body', '[]'], /Must be a JSON object/],
  ] as const) {
    const run = await call(...args)
    assert.deepEqual([run.code, run.stdout], [2, ''])
    assert.match(run.stderr, words)
  }
  const without = { PUBLIC_URL: service.baseUrl, OPERATOR_CLIENT_ID: clientId }
  assertFailed(await housebill(['call', 'listPartners'], without), /^OPERATOR_CLIENT_SECRET must be set/)
  const wrong = { ...environment, OPERATOR_CLIENT_SECRET: 'wrong' }
  assertFailed(await housebill(['call', 'listPartners'], wrong), /client/)
  assertFailed(
    await housebill(['call'], { PUBLIC_URL: 'http://127.0.0.1:9' }),
    /127\.0\.0\.1:9 cannot be reached .*base-url/,
  )
})

test('a shell completes commands, operations and fields', async () => {
  const following = async (...words: string[]) => {
    const run = await housebill(['completion', '--', 'housebill', ...words], environment)
    assertSucceeded(run)
    return run.stdout.trimEnd().split('\n')
  }
  for (const [typed, word] of [
    [[], 'call'],
    [['keys'], 'replace'],
    [['call'], 'suspendPartner'],
    [['call', '--partner'], 'createQuote'],
    [['call', 'suspendPartner', '--partnerId', 'x'], '--Idempotency-Key'],
  ] as const)
    assert.ok((await following(...typed)).includes(word), word)
  const { stdout: script } = await housebill(['completion'])
  const typed = 'housebill() { echo serve; echo call; }; COMP_WORDS=(housebill c); COMP_CWORD=1; _housebill'
  const { stdout } = await promisify(execFile)('bash', ['-c', `${script}${typed}; echo "\${COMPREPLY[@]}"`])
  assert.equal(stdout, 'call\n')
})
