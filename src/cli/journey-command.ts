import { type Command, InvalidArgumentError } from 'commander'
import { maxTenants } from '../../journey/household.ts'
import { loadEnvironment } from '../config/load-environment.ts'
import { type JsonOption, jsonOption } from './json-option.ts'

interface JourneyCommandOptions extends JsonOption {
  baseUrl?: string
  clientId?: string
  clientSecret?: string
  postcode: string
  tenants: number
  broadband: boolean
  out: string
}

/** A postcode in Nottingham with fifteen of the sample properties that every sandbox has. */
const samplePostcode = 'NG7 2RD'

export function addJourneyCommand(program: Command): void {
  program
    .command('journey')
    .description(
      'Run a typical sequence of API calls against any deployment, from a token to the contracts, and check the results.',
    )
    .option('--base-url <url>', 'the address of the deployment (default: PUBLIC_URL, or this machine)', deploymentUrl)
    .option('--client-id <id>', 'the client id to use (default: SANDBOX_CLIENT_ID)')
    .option('--client-secret <secret>', 'the client secret (default: SANDBOX_CLIENT_SECRET)')
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
  const environment = await loadEnvironment({ names: ['SANDBOX_CLIENT_SECRET'] })
  const clientId = options.clientId ?? environment.SANDBOX_CLIENT_ID
  const clientSecret = options.clientSecret ?? environment.SANDBOX_CLIENT_SECRET
  if (clientId === undefined || clientSecret === undefined) {
    const missing =
      clientId === undefined ? '--client-id (or SANDBOX_CLIENT_ID)' : '--client-secret (or SANDBOX_CLIENT_SECRET)'
    return command.error(`error: ${missing} is missing; a sandbox prints its credentials when it first starts`)
  }
  const here = environment.PUBLIC_URL ?? `http://localhost:${environment.PORT ?? 8080}`
  const baseUrl = options.baseUrl ?? usableBaseUrl(here)
  if (baseUrl === undefined) return command.error(`error: PUBLIC_URL or PORT is invalid: ${here} is not a URL`)
  const { runJourneyCommand } = await import('./journey-action.ts')
  await runJourneyCommand({ ...options, baseUrl, clientId, clientSecret })
}

function deploymentUrl(value: string): string {
  const usable = usableBaseUrl(value)
  if (usable !== undefined) return usable
  throw new InvalidArgumentError('Must be an http or https URL without query or credentials.')
}

/** Checks a base URL: `http://host:port`, with a path if the service has one. Removes a trailing /partner-api. */
function usableBaseUrl(value: string): string | undefined {
  const url = URL.parse(value)
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search + url.hash === ''
  if (!isUsable) return undefined
  return value.replace(/\/+$/, '').replace(/\/partner-api$/i, '')
}

function tenantCount(value: string): number {
  const count = Number(value)
  if (!/^\d{1,2}$/.test(value) || count < 1 || count > maxTenants) {
    throw new InvalidArgumentError(`Must be a number from 1 to ${maxTenants}.`)
  }
  return count
}
