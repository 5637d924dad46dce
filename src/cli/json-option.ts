import { Option } from 'commander'

/** `--json`, the same for every command. */
export function jsonOption(): Option {
  return new Option('--json', 'print the result as one JSON object')
}

export interface JsonOption {
  json?: true
}

/** One JSON object on a line of its own, for programs. */
export function printJson(result: object): void {
  console.log(JSON.stringify(result))
}
