import { type Command, InvalidArgumentError, Option } from 'commander'
import { addBaseUrlOption } from '../developer/access-options.ts'
import { jsonOption } from '../print.ts'
import type { CallOptions } from './call-action.ts'
import { readJson } from './fields.ts'

export function addCallCommand(program: Command): void {
  addBaseUrlOption(program.command('call'))
    .description(
      'Call an operation of the operator API of a running deployment. Without an operation, list them all; with --help after one, show its fields.',
    )
    .usage('[operationId] [--field value ...] [options]')
    .argument('[operationId]', 'the operation, such as listPartners')
    .option('--partner', 'call the partner API instead, with SANDBOX_CLIENT_ID and SANDBOX_CLIENT_SECRET')
    .addOption(
      new Option('--body <json>', 'the body of the call as JSON, or @ and a file with it; fields are added').argParser(
        (text: string) => readObject(text),
      ),
    )
    .option('--all', 'read a list to its end, not one page')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The operations and their fields come from the API document of the deployment. The credentials are those of
"npx housebill operator create", in OPERATOR_CLIENT_ID and OPERATOR_CLIENT_SECRET, or the file that OPERATOR_CLIENT_SECRET_FILE names.
A value that is an object or a list of objects is JSON, or @ and a file with it. A list of words is one value for each: --scopes quotes:read quotes:write.
Send null to clear a field that can be null.`,
    )
    // The operation has help of its own.
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(async (_operationId: string | undefined, options: CallOptions, command: Command) =>
      (await import('./call-action.ts')).runCall(command.args, options, command),
    )
}

function readObject(text: string): Record<string, unknown> {
  const value = readJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new InvalidArgumentError('Must be a JSON object.')
}
