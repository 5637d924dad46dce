import type { Command } from 'commander'
import { coloured } from '../print.ts'

/**
 * Every command that does something, by what a user types after the program's name, such as `rates list`.
 *
 * @internal Tests walk every command.
 */
export function commandsByPath(parent: Command, before = ''): Map<string, Command> {
  return new Map(
    parent.commands.flatMap((command): [string, Command][] => {
      const path = `${before}${command.name()}`
      return command.commands.length === 0 ? [[path, command]] : [...commandsByPath(command, `${path} `)]
    }),
  )
}

/** Adds the examples of `examples.ts` to the end of each command's help. */
export function addExamples(program: Command): void {
  // Packing the program looks for the first: see scripts/pack.ts.
  const how = program.name() === 'housebill' ? 'npx housebill' : `npx ${program.name()}`
  for (const [path, command] of commandsByPath(program)) {
    const lines = examples[path]
    if (lines === undefined) continue
    command.addHelpText('after', () =>
      ['', coloured('heading', 'Examples:'), ...lines.map((line) => `  ${how} ${path}${line && ` ${line}`}`)].join(
        '\n',
      ),
    )
  }
}

/** An id of a partner, a customer and so on, as it is written in examples. */
const partner = 'partner_01m7w4k9d2f2288a5x0j3tq6wn'
const customer = 'tenant_01m7w4kmmpf2288994r3wsyr86'
const person = 'person_01m7w4kq2xf22889d8y2m5c1vb'
const ranges = '192.0.2.0/24,2001:db8::/48'

/**
 * Examples of each command: what follows `npx housebill` and the command's name. A test runs each of them.
 *
 * @internal Tests run every example.
 */
export const examples: Readonly<Record<string, readonly string[]>> = {
  serve: [''],
  call: [
    '',
    'listPartners',
    `cancelContract --customerId ${customer} --dryRun`,
    `addPartnerCredential --partnerId ${partner} --scopes quotes:read customers:read`,
    '--partner listQuotes --all',
  ],
  completion: [''],
  journey: ['--client-id sb_example', '--base-url https://bills.example --tenants 1 --no-broadband'],
  listen: [
    '--forward-to http://localhost:3000/webhooks',
    '--forward-to http://localhost:3000/webhooks --events customer.status.changed,quote.prices.updated',
  ],
  trigger: ['customer.payment.updated', 'quote.prices.updated --postcode "LS2 9JT"'],
  migrate: ['', '--plan'],
  'config check': ['', '--connect', '--connect --json'],
  rehearsal: ['--out ./rehearsal --operator-file ./operator.json'],
  'partner create': ['--name "Acme Lettings"', `--name "Acme Lettings" --allow-from ${ranges}`],
  'operator create': ['--name "Back office" --scopes contracts:read --expires-in 365d'],
  'operator list': [''],
  'operator disable': ['op_backoffice'],
  'people list': ['', `--partner ${partner}`],
  'people invite': [
    '--name "Sam Okafor" --email sam@bills.example --roles support',
    `--name "Ada Lang" --email ada@acme.example --roles admin --partner ${partner} --branches Leeds`,
  ],
  'people remove': [person],
  'people sign-in': [person],
  'rates publish': ['./my-card.json', './my-card.json --yes'],
  'rates list': [''],
  'rates withdraw': ['my-card-2027-04', 'my-card-2027-04 --stop-signing'],
  'rates diff': ['my-card-2027-01 ./my-card.json'],
  'rates check': ['./my-card.json', 'reference-data/rate-cards/2-price-cap-2026-q4-gb-average.json'],
  'addresses import': ['./addresses.csv'],
  'addresses generate': ['--count 1000 --out ./addresses.csv', '--count 10 --seed 7'],
  'addresses stats': [''],
  'meter-points import': ['./meters.csv'],
  'contracts export': [
    '--out ./contracts.csv',
    '--kind payments --due-before 2027-02-01 --out ./payments.csv',
    '--kind supply --bom --out -',
  ],
  'customers export': [customer, '--email ada@example.com'],
  'customers erase': [customer, '--email ada@example.com', '--replay ./erasures.jsonl'],
  'audit address-hash': ['192.0.2.7'],
  'audit list': [`--customer ${customer}`, `--partner ${partner} --since 2026-11-01 --limit 100`],
  'keys status': [''],
  'keys replace': ['signing', 'encryption', 'links --compromised'],
}
