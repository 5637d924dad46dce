import { Option } from 'commander'

/** The `--json` option, which is the same for every command. */
export function jsonOption(): Option {
  return new Option('--json', 'print the result as one JSON object')
}

export interface JsonOption {
  json?: true
}

/** Prints a JSON object on one line, for programs. */
export function printJson(result: object): void {
  console.log(JSON.stringify(result))
}
