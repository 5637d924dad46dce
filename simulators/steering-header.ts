import type { Behaviour, BroadbandDatabaseOutcome, HomeTelecomOutcome } from '../src/domain/broadband/steering.ts'

type Outcome = HomeTelecomOutcome | BroadbandDatabaseOutcome

/** Tells a simulator how to behave for this request. Real upstreams never receive it. */
const name = 'housebill-simulate'

/** The headers that make a simulated upstream behave like this, e.g. `housebill-simulate: slow; seconds=2`. */
export function steeringHeaders({ outcome, seconds }: Behaviour<Outcome>): Record<string, string> {
  return { [name]: seconds === null ? outcome : `${outcome}; seconds=${seconds}` }
}

/** The behaviour a request asks for; undefined if none, or if the simulator does not know it. */
export function readSteering(
  headers: Record<string, string | string[] | undefined>,
): { outcome: string; seconds: number } | undefined {
  const found = /^([a-z-]+)(?:; seconds=(\d))?$/.exec(String(headers[name] ?? ''))
  return found === null ? undefined : { outcome: found[1] ?? '', seconds: Number(found[2] ?? 0) }
}
