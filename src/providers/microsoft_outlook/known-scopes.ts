/** In the words of the vendor. */
export const knownScopes: Record<string, string> = {
  offline_access: "Maintain access to data you have given it access to.",
  "User.Read": "Sign in and read user profile.",
  "Mail.Read": "Read user mail.",
  "Mail.Send": "Send mail as a user.",
  "Mail.ReadWrite": "Read and write access to user mail.",
  "Mail.Read.Shared": "Read user and shared mail.",
  "Calendars.Read": "Read user calendars.",
  "Calendars.ReadWrite": "Have full access to user calendars.",
  "Contacts.Read": "Read user contacts.",
  "Files.ReadWrite": "Have full access to user files.",
};
