/**
 * Tables whose rows are not effects of a request: the keys themselves, the list of requests, and tables that the worker
 * or the simulated processor writes later.
 * `deployment_settings` and `scheduled_jobs` contain the state of jobs between runs.
 */
const machinery = [
  /^public\.(delivery_history\w*|delivery_queue|deployment_settings|idempotency_keys|sandbox_requests|scheduled_jobs) /,
  /^public\.(events|webhooks) UPDATE$/,
  /^simulated_processor\.(outgoing_webhooks|idempotent_responses) /,
]

/** Keeps only the row counts of writes that are effects of a request. */
export function filterEffects(written: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...written].filter(([what]) => !machinery.some((pattern) => pattern.test(what))))
}
