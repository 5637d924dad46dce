import { type Command, InvalidArgumentError } from 'commander'
import { maxTenants } from '../quoting/quote-limits.ts'
import { type AccessOptions, addAccessOptions, requireAccess, samplePostcode } from './developer/access-options.ts'
import { type JsonOption, jsonOption } from './print.ts'

interface JourneyCommandOptions extends JsonOption, AccessOptions {
  postcode: string
  tenants: number
  broadband: boolean
  out: string
}

export function addJourneyCommand(program: Command): void {
  addAccessOptions(program.command('journey'))
    .description(
      'Run a typical sequence of API calls against any deployment, from a token to the contracts, and check the results.',
    )
    .option(
      '--postcode <postcode>',
      'the postcode of the property; the first property there with both meters is used',
      samplePostcode,
    )
    .option('--tenants <number>', `the number of tenants who share the bills, 1 to ${maxTenants}`, tenantCount, 3)
    .option('--no-broadband', 'leave broadband out')
    .option('--out <folder>', 'the folder in which the contracts are saved', './contracts-out')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The tenants are invented. The journey checks that the shares add up to the total, that every customer's cost is their share,
that the payments add up to it, and that the documents show it. It stops with exit code 1 at the first step that fails.
In a sandbox with the simulated processor, the card is confirmed with a sandbox call. Elsewhere, the journey ends where a tenant
must enter a card, and leaves a locked quote behind: cancel it when you are done.`,
    )
    .action(walk)
}

async function walk(options: JourneyCommandOptions, command: Command): Promise<void> {
  const access = await requireAccess(options, command)
  const { runJourneyCommand } = await import('./journey-action.ts')
  await runJourneyCommand({ ...options, ...access })
}

function tenantCount(value: string): number {
  const count = Number(value)
  if (!/^\d{1,2}$/.test(value) || count < 1 || count > maxTenants) {
    throw new InvalidArgumentError(`Must be a number from 1 to ${maxTenants}.`)
  }
  return count
}
