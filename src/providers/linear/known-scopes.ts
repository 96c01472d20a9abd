/** In the words of the vendor. */
export const knownScopes: Record<string, string> = {
  read: "Read access for the user's account.",
  "issues:create": "Allows creating new issues and their attachments.",
  write: "Write access for the user's account.",
  "comments:create": "Allows creating new issue comments.",
};
