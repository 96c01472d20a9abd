/** In the words of the vendor. */
export const knownScopes: Record<string, string> = {
  oauth: "Basic scope that every app needs.",
  "crm.objects.contacts.read": "View properties and other details about contacts.",
  "crm.objects.contacts.write": "View properties and create, delete or make changes to contacts.",
  "crm.objects.companies.read": "View properties and other details about companies.",
  "crm.objects.companies.write": "View properties and create, delete or make changes to companies.",
  "crm.objects.deals.read": "View properties and other details about deals.",
  "crm.objects.deals.write": "View properties and create, delete or make changes to deals.",
  "crm.objects.owners.read": "View details about users assigned to a CRM record.",
  tickets: "View, create, delete or make changes to tickets.",
};
