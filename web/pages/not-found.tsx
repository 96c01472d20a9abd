import { Link } from "@tanstack/react-router";
import { buttonLook } from "../parts/button.tsx";
import { FrontPage } from "../parts/front-page.tsx";

export function NotFoundPage() {
  return (
    <FrontPage title="Nothing here" description="This page does not exist, or you have no access to it.">
      <Link to="/" className={buttonLook("primary")}>
        Go to the start page
      </Link>
    </FrontPage>
  );
}
