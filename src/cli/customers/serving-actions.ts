import { type CommandRequest, type ServingCommandName, serveCustomer } from '../../app/serve-customer.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { printJson } from '../json-option.ts'
import { print } from '../print.ts'
import { withDatabase } from '../with-database.ts'

/** Runs a command that serves a customer, and prints what came of it. */
export async function runServingCommand(
  name: ServingCommandName,
  id: string,
  request: CommandRequest,
  { json }: { json: boolean },
): Promise<void> {
  const outcome = await withDatabase(`customers ${name}`, (opened) => serveCustomer(opened, name, id, request))
  if (outcome === undefined) throw new CommandError('not_found', `No customer has the id ${id}.`)
  if (json) printJson(outcome.response)
  else for (const line of outcome.lines) print(line)
}
