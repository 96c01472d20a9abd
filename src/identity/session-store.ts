import type { Database, Statement } from "../storage/database.ts";
import type { Role } from "./wire.ts";

// Asked before every request of a person, for all that ask at the same time together.

export type SessionUser = {
  token: string;
  sessionId: string;
  userId: string;
  name: string;
  email: string;
  createdAt: Date;
} & {
  /** More than a day has passed of it: it is prolonged, and its cookie with it. */
  isOld: boolean;
};

const sessionsStatement: Statement = {
  name: "sessions_of_tokens",
  text: `SELECT asked.token, live_session.id AS "sessionId", app_user.id AS "userId", app_user.name, app_user.email, app_user.created_at AS "createdAt",
      live_session.expires_at <= now() + interval '6 days' AS "isOld"
    FROM unnest($1::text[]) AS asked (token)
    JOIN live_session ON live_session.token = asked.token
    JOIN app_user ON app_user.id = live_session.user_id`,
};

export const findSessions = (db: Database, tokens: string[]): Promise<SessionUser[]> =>
  db.prepared<SessionUser>(sessionsStatement, [[...new Set(tokens)]]);

export type MemberPlace = { organizationId: string; userId: string };

export type MembershipRow = MemberPlace & { id: string; name: string; role: Role; memberId: string; createdAt: Date };

const membershipsStatement: Statement = {
  name: "memberships_known",
  text: `SELECT member.organization_id AS "organizationId", member.user_id AS "userId", organization.id, organization.name, member.role,
      member.id AS "memberId", organization.created_at AS "createdAt"
    FROM unnest($1::uuid[], $2::uuid[]) AS asked (organization_id, user_id)
    JOIN member ON member.organization_id = asked.organization_id AND member.user_id = asked.user_id
    JOIN organization ON organization.id = member.organization_id AND organization.deleted_at IS NULL`,
};

export const findMemberships = (db: Database, places: MemberPlace[]): Promise<MembershipRow[]> =>
  db.prepared<MembershipRow>(membershipsStatement, [
    places.map(({ organizationId }) => organizationId),
    places.map(({ userId }) => userId),
  ]);
