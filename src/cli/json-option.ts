import { Option } from 'commander'
import { invocation } from './invocation.ts'
import { print } from './print.ts'

/** The `--json` option, which is the same for every command. */
export function jsonOption(): Option {
  return new Option('--json', 'print the result as one JSON object')
}

export interface JsonOption {
  json?: true
}

/** Prints a JSON object on one line, for programs. It names the deployment that answered. */
export function printJson(result: object): void {
  const { deployment } = invocation()
  const isPlain = deployment === undefined || Array.isArray(result)
  print(JSON.stringify(isPlain ? result : { ...result, deployment }))
}
