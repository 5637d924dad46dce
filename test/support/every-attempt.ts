/** A subquery for a `from` clause. It lists every attempt of every delivery. */
export const everyAttempt = `(
  select d.delivery_id, d.partner_id, (a ->> 'attemptNumber')::integer as attempt_number,
    (a ->> 'startedAt')::timestamptz as started_at, (a ->> 'durationMs')::integer as duration_ms,
    a -> 'requestHeaders' as request_headers, (a ->> 'responseStatus')::integer as response_status,
    a ->> 'responseBody' as response_body, a ->> 'error' as error
  from deliveries d cross join unnest(d.attempts) a
)`
