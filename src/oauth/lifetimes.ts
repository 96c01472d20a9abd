const minute = 60;
const day = 86_400;

/** In seconds. That of access tokens is configured. */
export const lifetimes = {
  code: minute,
  consentRequest: 15 * minute,
  ticket: minute,
  /** Anew with every use. */
  refreshToken: 30 * day,
  /** However often it is used. */
  connection: 180 * day,
  /** How long a refresh may be repeated: clients with several processes, and answers that were lost. */
  refreshReplay: 30,
  /** How long used codes and refresh tokens are remembered, to notice that somebody else has them too. */
  usedToken: 7 * day,
} as const;
