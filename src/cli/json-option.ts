import { Option } from 'commander'

/** `--json`, the same for every command. */
export function jsonOption(): Option {
  return new Option('--json', 'print the result as one JSON object')
}

export interface JsonOption {
  json?: true
}

/** Prints one JSON object on a line, for programs. */
export function printJson(result: object): void {
  console.log(JSON.stringify(result))
}
