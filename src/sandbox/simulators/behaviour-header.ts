import type { Behaviour, BroadbandDatabaseOutcome, HomeTelecomOutcome } from '../../broadband/upstream-behaviour.ts'

type Outcome = HomeTelecomOutcome | BroadbandDatabaseOutcome

/** The name of the header that tells a simulator how to behave for this request. Real upstreams never receive it. */
const name = 'housebill-simulate'

/** The headers that make a simulated upstream behave in this way, e.g. `housebill-simulate: slow; seconds=2`. */
export function behaviourHeaders({ outcome, seconds }: Behaviour<Outcome>): Record<string, string> {
  return { [name]: seconds === null ? outcome : `${outcome}; seconds=${seconds}` }
}

/** The behaviour that a request asks for; undefined if it asks for none or for one that the simulator does not know. */
export function readRequestedBehaviour(
  headers: Record<string, string | string[] | undefined>,
): { outcome: string; seconds: number } | undefined {
  const found = /^([a-z-]+)(?:; seconds=(\d))?$/.exec(String(headers[name] ?? ''))
  return found === null ? undefined : { outcome: found[1] ?? '', seconds: Number(found[2] ?? 0) }
}
