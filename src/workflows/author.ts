/** Who saved something: a user or an API key. Nobody of both, which is null, is the command line. */
export type Author = { userId: string | null; apiKeyId: string | null; name: string };

export const createdBy = (author: Author | null) => ({
  created_by: author?.userId ?? null,
  created_by_key: author?.apiKeyId ?? null,
  created_by_name: author?.name ?? null,
});

export const savedBy = (author: Author | null) => ({
  saved_by: author?.userId ?? null,
  saved_by_key: author?.apiKeyId ?? null,
  saved_by_name: author?.name ?? null,
});
