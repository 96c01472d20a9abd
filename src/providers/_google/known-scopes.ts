const words: Record<string, string> = {
  "calendar.events": "View and edit events on all your calendars.",
  "calendar.calendarlist.readonly": "See the list of Google calendars you're subscribed to.",
  calendar: "See, edit, share, and permanently delete all the calendars you can access using Google Calendar.",
  "gmail.modify": "Read, compose, and send emails from your Gmail account.",
  "gmail.send": "Send email on your behalf.",
  "gmail.settings.basic": "See, edit, create, or change your email settings and filters in Gmail.",
  documents: "See, edit, create, and delete all your Google Docs documents.",
  drive: "See, edit, create, and delete all of your Google Drive files.",
  "drive.metadata.readonly": "See information about your Google Drive files.",
  spreadsheets: "See, edit, create, and delete all your Google Sheets spreadsheets.",
  presentations: "See, edit, create, and delete all your Google Slides presentations.",
  "forms.body": "See, edit, create, and delete all your Google Forms forms.",
  "contacts.readonly": "See and download your contacts.",
  tasks: "Create, edit, organize, and delete all your tasks.",
};

/** In the words of the vendor. One connection may be given scopes of several of its services. */
export const knownScopes: Record<string, string> = {
  "https://mail.google.com/": "Read, compose, send, and permanently delete all your email from Gmail.",
  ...Object.fromEntries(
    Object.entries(words).map(([name, meaning]) => [`https://www.googleapis.com/auth/${name}`, meaning]),
  ),
};
