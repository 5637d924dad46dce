/**
 * Tables that are not effects of a request: the keys themselves, and what the worker and the simulated processor write later.
 * `deployment_settings` and `scheduled_jobs` hold what jobs remember between runs.
 */
const machinery = [
  /^public\.(delivery_history\w*|delivery_queue|deployment_settings|idempotency_keys|scheduled_jobs) /,
  /^public\.(events|webhooks) UPDATE$/,
  /^simulated_processor\.(outgoing_webhooks|idempotent_answers) /,
]

/** The written rows that requests caused. */
export function effectsAmong(written: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...written].filter(([what]) => !machinery.some((pattern) => pattern.test(what))))
}
