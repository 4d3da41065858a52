<?php

namespace Site;

class Mail extends Letter
{
    public function showParcel(string $parcelName): string
    {
        echo $_GET["parcel"];
        return "parcel " . $parcelName;
    }
}
